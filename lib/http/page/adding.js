/**
 * The view on which files and notes are added and their jobs followed.
 *
 * The server sends the source of this function to the browser, so nothing from outside of it may be used in it.
 */
export function makeAdding(
  { call, getJson, button, day, element, once, say, show },
) {
  const { document, FormData } = globalThis;
  const POLL_MS = 1000;

  async function showAdding(isWanted) {
    say("");
    const files = element("input", {
      type: "file",
      multiple: true,
      ariaLabel: "Files",
    });
    const note = element("textarea", {
      rows: 6,
      placeholder: "… or a note, in Markdown",
      ariaLabel: "Note",
    });
    const tags = element("input", {
      placeholder: "tags, separated by commas",
      ariaLabel: "Tags",
    });
    const collection = element("input", {
      placeholder: "collection",
      ariaLabel: "Collection",
    });
    const form = element(
      "form",
      { className: "adding" },
      files,
      note,
      tags,
      collection,
      element("button", { textContent: "Add" }),
    );
    const jobs = element("div");
    form.onsubmit = once(async () => {
      const labels = [["tags", tags.value], ["collection", collection.value]]
        .filter(([, value]) => value.trim() !== "");
      const bodies = [...files.files].map((file) => ["file", file]);
      if (note.value.trim() !== "") bodies.push(["note", note.value]);
      if (bodies.length === 0) return say("Choose a file or write a note.");
      for (const [index, body] of bodies.entries()) {
        say(`Sending ${index + 1} of ${bodies.length} …`);
        const data = new FormData();
        // What is said of a file has to come before it.
        for (const [name, value] of labels) data.append(name, value);
        data.append(...body);
        await call("POST", "jobs", data);
      }
      say(`Sent ${bodies.length}; what became of each is below.`);
      files.value = "";
      note.value = "";
      await listJobs(jobs, isWanted);
    });
    form.addEventListener("dragover", (event) => event.preventDefault());
    form.addEventListener("drop", (event) => {
      event.preventDefault();
      files.files = event.dataTransfer.files;
    });
    show(
      "Add",
      element("h1", { textContent: "Add" }),
      form,
      element("h2", { textContent: "Jobs" }),
      jobs,
    );
    while (isWanted()) {
      if (!document.hidden) await listJobs(jobs, isWanted);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  async function listJobs(place, isWanted) {
    const { jobs } = await getJson("jobs?limit=50");
    const seen = JSON.stringify(jobs);
    // What has not changed is left, so that a button keeps the focus.
    if (!isWanted() || place.dataset.seen === seen) return;
    place.dataset.seen = seen;
    place.replaceChildren(
      jobs.length === 0
        ? element("p", { textContent: "There are none." })
        : element("table", {}, jobs.map((job) => toJob(job, place, isWanted))),
    );
  }

  function toJob(job, place, isWanted) {
    const change = (verb) => async () => {
      await call("POST", `jobs/${job.id}/${verb}`);
      await listJobs(place, isWanted);
    };
    const isOver = !["queued", "processing"].includes(job.status);
    const name = job.name || job.kind;
    return element(
      "tr",
      {},
      element(
        "td",
        {},
        job.document_id === null ? name : element("a", {
          href: `#document/${job.document_id}`,
          textContent: name,
        }),
      ),
      element("td", { textContent: job.status }),
      element("td", { textContent: job.error ?? job.state ?? "" }),
      element("td", { textContent: day(job.created_at) }),
      element(
        "td",
        {},
        isOver ? null : button("Cancel", change("cancel")),
        ["failed", "cancelled"].includes(job.status)
          ? button("Retry", change("retry"))
          : null,
      ),
    );
  }

  return { showAdding };
}
