// Shared by all scripts of the page.
const run = JSON.parse(document.getElementById('data').textContent);
const byId = id => document.getElementById(id);
const element = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};
