// The list of failures. Only the visible rows, of thousands, exist.
const ROW_HEIGHT = 46;  // CSS pixels
let listed = [];   // the failures that the filter selects, in the order of the list
let ranks = [];    // positions of all failures in that order
const list = byId('list');

// Failed comparisons and missing pictures come first, then other shapes, then by RMSE.
function severity({state, difference}) {
  if (state === 'not compared') return 4e9;
  if (state === 'missing') return 3e9;
  if (state === 'new') return -1;
  return difference.channels && !difference.not_finite ? Math.min(1e9, difference.rmse ?? 1e9) : 2e9;
}

function rank() {
  const order = [...run.failures.keys()];  // by name
  if (byId('order').value === 'severity') {
    const severities = run.failures.map(severity);
    order.sort((a, b) => severities[b] - severities[a] || a - b);
  }
  ranks = [];
  order.forEach((index, place) => { ranks[index] = place; });
  return order;
}

function filter() {
  const words = byId('filter').value.toLowerCase().split(/\s+/).filter(Boolean);
  const textOf = failure => failure.text ??=
      `${failure.name} ${failure.state} ${failure.reasons.join(' ')} ${failure.origin ?? ''}`.toLowerCase();
  listed = rank().filter(index => words.every(word => textOf(run.failures[index]).includes(word)));
  list.scrollTop = 0;
  drawList();
  scrollToCurrent();
}

function rowOf(index, top) {
  const failure = run.failures[index];
  const state = element('span', {className: failure.state.replace(' ', '-')}, failure.state);
  const more = magnitude(failure) || failure.reasons[0];
  const button = element('button', {onclick: () => select(index), title: failure.name},
                         element('span', {className: 'name'}, failure.name),
                         element('small', {}, state, ...(more ? [' · ' + more] : [])));
  button.dataset.index = index;
  const row = element('li', {}, button);
  row.style.top = top + 'px';
  return row;
}

function drawList() {
  const first = Math.max(0, Math.floor(list.scrollTop / ROW_HEIGHT) - 5);
  const inSight = listed.slice(first, first + Math.ceil(list.clientHeight / ROW_HEIGHT) + 10);
  list.firstElementChild.style.height = listed.length * ROW_HEIGHT + 'px';
  list.firstElementChild.replaceChildren(...inSight.map((index, i) => rowOf(index, (first + i) * ROW_HEIGHT)));
  markCurrent();
}

function markCurrent() {
  for (const button of list.querySelectorAll('button')) {
    button.toggleAttribute('aria-current', Number(button.dataset.index) === current);
  }
}

function scrollToCurrent() {
  const top = listed.indexOf(current) * ROW_HEIGHT;
  if (top < 0) return;
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
  passes.firstElementChild.textContent = run.passes.length === 1 ? '1 picture is the same' : `${run.passes.length} pictures are the same`;
  passes.addEventListener('toggle', () => {
    passes.lastElementChild.textContent = run.passes.map(([name, note]) => note ? `${name} (${note})` : name).join('\n');
  });
}

byId('filter').oninput = filter;
byId('order').onchange = filter;
list.addEventListener('scroll', drawList);
new ResizeObserver(drawList).observe(list);
