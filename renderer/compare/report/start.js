// Shared by all scripts of the page.
const run = JSON.parse(document.getElementById('data').textContent);
const byId = id => document.getElementById(id);
const element = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};
const grouped = number => number.toLocaleString('en-US');  // 1,234
const plural = (count, noun) => `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
