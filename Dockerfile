# One executable with the model inside, in a small image that runs as nobody special.
FROM denoland/deno:debian-2.9.6 AS build
WORKDIR /src
COPY . .
RUN deno task compile --output /out/kbdb

FROM debian:12-slim
LABEL org.opencontainers.image.title="kbdb" \
      org.opencontainers.image.description="A knowledge base for people and their AI agents" \
      org.opencontainers.image.licenses="MIT"
RUN useradd --uid 10001 --create-home --home-dir /data --shell /usr/sbin/nologin kbdb
COPY --from=build /out/kbdb /usr/local/bin/kbdb
USER 10001
ENV KBDB_DIR=/data/.kbdb
VOLUME ["/data"]
EXPOSE 8000 3000
# The image has no HTTP client but the shell's own.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8000 && printf 'GET /health HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && grep -q '^HTTP/1.1 200' <&3"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["kbdb"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000", "--mcp-port", "3000"]
