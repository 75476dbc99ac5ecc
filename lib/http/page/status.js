/**
 * The view of how the base is.
 *
 * The server sends the source of this function to the browser, so nothing from outside of it may be used in it.
 */
export function makeStatus({ getJson, element, say, show }) {
  async function showStatus(isWanted) {
    const [status, tags] = await Promise.all([
      getJson("status"),
      getJson("tags"),
    ]);
    if (!isWanted()) return;
    say("");
    const { chunks, documents, queue } = status;
    const facts = [
      ["Documents", documents.total],
      ["Passages", `${chunks.total}, ${chunks.pending} without a vector yet`],
      ["Jobs", `${queue.queued} wait, ${queue.processing} at work`],
      ["Model", status.model_problem ?? status.model_name],
      ["Size", `${(status.db_size_bytes / 1e6).toFixed(1)} MB`],
      ["kbdb", `${status.version}, SQLite ${status.sqlite_version}`],
    ];
    show(
      "Status",
      element("h1", { textContent: "Status" }),
      element(
        "dl",
        {},
        facts.flatMap(([name, value]) => [
          element("dt", { textContent: name }),
          element("dd", { textContent: String(value) }),
        ]),
      ),
      element("h2", { textContent: "Collections" }),
      element(
        "p",
        {},
        Object.entries(documents.by_collection).map(([name, count]) =>
          element("a", {
            className: "tag",
            href: `#?in=${encodeURIComponent(name)}`,
            textContent: `${name} ${count}`,
          })
        ),
      ),
      element("h2", { textContent: "Tags" }),
      element(
        "p",
        {},
        tags.filter(({ name }) => !name.startsWith("collection:")).map((tag) =>
          element("span", {
            className: "tag",
            textContent: `${tag.name} ${tag.documents}`,
          })
        ),
      ),
    );
  }

  return { showStatus };
}
