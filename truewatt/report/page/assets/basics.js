// What all charts of the page use.
(function () {
  "use strict";
  const truewatt = (window.truewatt = window.truewatt || {});

  /** The colour of a role in the current theme, from the style sheet. */
  truewatt.colour = function (role) {
    const style = getComputedStyle(document.documentElement);
    return style.getPropertyValue("--c-" + role).trim() || style.getPropertyValue("--c-curve");
  };

  /** An element with its attributes and children. */
  truewatt.make = function (tag, attributes, children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
    node.append(...(children || []));
    return node;
  };
})();
