// The list of failures, by folder. Only the visible rows, of thousands, exist.
const ROW_HEIGHT = 56, HEADING_HEIGHT = 28;  // CSS pixels
let listed = [];       // the failures that the filter selects, in the order of the list
let ranks = [];        // positions of all failures in that order
let rows = [];         // lines of the list: {index, top} or {folder, count, top}
let chosenState = '';  // the result that the counts in the head select; empty: all
const list = byId('list');
const folderOf = ({name}) => name.slice(0, name.lastIndexOf('/') + 1);

// Failed comparisons and missing pictures come first, then other shapes, then by RMSE.
function severity({state, difference}) {
  if (state === 'not compared') return 4e9;
  if (state === 'missing') return 3e9;
  if (state === 'new') return -1;
  return difference.channels && !difference.not_finite ? Math.min(1e9, difference.rmse ?? 1e9) : 2e9;
}

function rank() {
  let order = [...run.failures.keys()];  // by name
  if (byId('order').value === 'severity') {
    const severities = run.failures.map(severity);
    order.sort((a, b) => severities[b] - severities[a] || a - b);
  }
  const folders = new Map();  // in the order of their first picture
  for (const index of order) {
    const folder = folderOf(run.failures[index]);
    if (!folders.has(folder)) folders.set(folder, []);
    folders.get(folder).push(index);
  }
  order = [...folders.values()].flat();
  ranks = [];
  order.forEach((index, place) => { ranks[index] = place; });
  return order;
}

// A renamed picture is new, and its old name is missing.
const isChosen = ({state, was}) => [state, was ? 'missing' : state, ''].includes(chosenState);

function filter() {
  const words = byId('filter').value.toLowerCase().split(/\s+/).filter(Boolean);
  const textOf = failure => failure.text ??=
      `${nameOf(failure)} ${failure.state} ${failure.reasons.join(' ')} ${failure.origin ?? ''}`.toLowerCase();
  listed = rank().filter(index => isChosen(run.failures[index]) &&
      words.every(word => textOf(run.failures[index]).includes(word)));
  layRows();
  list.scrollTop = 0;
  drawList();
  scrollToCurrent();
}

function chooseState(state) {
  chosenState = state;
  for (const button of document.querySelectorAll('#counts [data-state]')) {
    button.setAttribute('aria-pressed', String(button.dataset.state === state));
  }
  filter();
}

// Puts a heading above the pictures of each folder, if there is one.
function layRows() {
  rows = [];
  const hasFolders = listed.some(index => folderOf(run.failures[index]) !== '');
  let top = 0, heading = null;
  for (const index of listed) {
    const folder = folderOf(run.failures[index]);
    if (hasFolders && heading?.folder !== folder) {
      rows.push(heading = {folder, count: 0, top});
      top += HEADING_HEIGHT;
    }
    if (heading) ++heading.count;
    rows.push({index, top});
    top += ROW_HEIGHT;
  }
  list.firstElementChild.style.height = top + 'px';
}

function rowOf({index, top, folder, count}) {
  if (folder !== undefined) {
    const heading = element('li', {className: 'folder', title: folder}, folder || 'outside of folders', ' ', element('small', {}, grouped(count)));
    heading.style.top = top + 'px';
    return heading;
  }
  const failure = run.failures[index];
  const state = element('span', {className: failure.state.replace(' ', '-')}, failure.state);
  const more = failure.was ? 'was ' + failure.was : magnitude(failure) || failure.reasons[0];
  const below = folderOf(failure);
  const button = element('button', {onclick: () => choose(index), title: failure.name}, thumbOf(index),
                         element('span', {className: 'name'}, element('span', {className: 'unseen'}, below), failure.name.slice(below.length)),
                         element('small', {}, state, ...(more ? [' · ' + more] : [])));
  button.dataset.index = index;
  const row = element('li', {}, ...tickOf(index), button);
  row.style.top = top + 'px';
  return row;
}

// On a narrow screen the list is below the picture.
function choose(index) {
  select(index);
  if (matchMedia('(max-width: 720px)').matches) byId('viewer').scrollIntoView();
}

function drawList() {
  let first = 0, end = rows.length;
  while (first < end) {  // the first row that is in sight
    const middle = (first + end) >> 1;
    if (rows[middle].top + ROW_HEIGHT < list.scrollTop - 5 * ROW_HEIGHT) first = middle + 1;
    else end = middle;
  }
  const bottom = list.scrollTop + list.clientHeight + 5 * ROW_HEIGHT;
  while (end < rows.length && rows[end].top < bottom) ++end;
  const focused = document.activeElement?.dataset.index;
  list.firstElementChild.replaceChildren(...rows.slice(first, end).map(rowOf));
  if (focused) list.querySelector(`button[data-index="${focused}"]`)?.focus({preventScroll: true});
  markCurrent();
  fillThumbs();
}

function markCurrent() {
  for (const button of list.querySelectorAll('button')) {
    const isCurrent = Number(button.dataset.index) === current;
    button.toggleAttribute('aria-current', isCurrent);
    button.parentElement.classList.toggle('current', isCurrent);
  }
}

function scrollToCurrent() {
  const {top} = rows.find(row => row.index === current) ?? {};
  if (top === undefined) return;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + ROW_HEIGHT > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW_HEIGHT - list.clientHeight;
}

// Selects the next failure in this direction that passes the filter.
function step(direction) {
  const from = current < 0 ? -1 : ranks[current];
  select(direction > 0 ? listed.find(index => ranks[index] > from) : listed.findLast(index => ranks[index] < from));
}

function listPasses() {
  const passes = byId('passes');
  passes.firstElementChild.textContent = run.passes.length === 1 ? '1 picture is the same' : `${grouped(run.passes.length)} pictures are the same`;
  passes.addEventListener('toggle', () => {
    passes.lastElementChild.textContent = run.passes.map(([name, note]) => note ? `${name} (${note})` : name).join('\n');
  });
}

byId('filter').oninput = filter;
byId('order').onchange = filter;
list.addEventListener('scroll', drawList);
new ResizeObserver(drawList).observe(list);
