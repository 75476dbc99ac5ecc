/**
 * What every view is made of. What comes from the base is only ever set as text.
 *
 * The server sends the source of this function to the browser, so nothing from outside of it may be used in it.
 */
export function makeElements() {
  const { document } = globalThis;
  const main = document.querySelector("main");
  const notice = document.querySelector("#notice");

  function element(name, properties = {}, ...children) {
    const node = Object.assign(document.createElement(name), properties);
    node.append(...children.flat().filter((child) => child !== null));
    return node;
  }

  function say(text) {
    notice.textContent = text;
  }

  /** Does something, and says what went wrong if that is still of interest. */
  async function act(action, isWanted = () => true) {
    try {
      await action();
    } catch (error) {
      if (isWanted()) say(error.message);
    }
  }

  /** Makes a handler that does nothing while what it began is at work: a second click would do it twice. */
  function once(action) {
    let isAtWork = false;
    return async (event) => {
      event.preventDefault();
      if (isAtWork) return;
      isAtWork = true;
      await act(action);
      isAtWork = false;
    };
  }

  function show(title, ...children) {
    document.title = title === "" ? "kbdb" : `${title} - kbdb`;
    main.replaceChildren(...children.flat());
  }

  function button(label, onclick) {
    return element("button", {
      type: "button",
      textContent: label,
      onclick: once(onclick),
    });
  }

  function tagList(tags) {
    return tags.map((tag) => element("span", { className: "tag" }, tag));
  }

  function day(time) {
    return time === null ? "" : new Date(time).toLocaleString();
  }

  return { act, button, day, element, once, say, show, tagList };
}
