// The list of failures: of thousands of rows only those in sight are there.
const ROW = 46;    // height of a row in CSS pixels
let listed = [];   // the failures that the filter lets through, in the order of the list
let ranks = [];    // of all failures in that order
const list = byId('list');

// What could not be compared and what is gone come first, then other shapes, then by RMSE.
function severity({state, difference}) {
  if (state === 'not compared') return 4e9;
  if (state === 'missing') return 3e9;
  if (state === 'new') return -1;
  return difference.channels && !difference.not_finite ? Math.min(1e9, difference.rmse ?? 1e9) : 2e9;
}

function rank() {
  const order = [...run.failures.keys()];  // by name, as they come
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
  const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 5);
  const inSight = listed.slice(first, first + Math.ceil(list.clientHeight / ROW) + 10);
  list.firstElementChild.style.height = listed.length * ROW + 'px';
  list.firstElementChild.replaceChildren(...inSight.map((index, i) => rowOf(index, (first + i) * ROW)));
  markCurrent();
}

function markCurrent() {
  for (const button of list.querySelectorAll('button')) {
    button.toggleAttribute('aria-current', Number(button.dataset.index) === current);
  }
}

function scrollToCurrent() {
  const top = listed.indexOf(current) * ROW;
  if (top < 0) return;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
}

// The next one in this direction that the filter lets through.
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
