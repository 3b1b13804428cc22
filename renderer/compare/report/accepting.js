// Ticks of the pictures that are right, and one command that accepts them.
const ticked = new Set();  // indices of failures

const canAccept = run.failures.some(failure => failure.accept);

// Joins the commands of these failures: run.command and a name in each, after -- if it begins with -.
function commandFor(failures) {
  const names = failures.map(({accept}) => accept.slice(run.command.length + 1));
  const hasDash = names.some(name => name.startsWith('-- '));
  return [run.command, ...(hasDash ? ['--'] : []), ...names.map(name => name.replace(/^-- /, ''))].join(' ');
}

// Returns the box of a row: none if the run has nothing to accept.
function tickOf(index) {
  if (!canAccept) return [];
  const {name, accept} = run.failures[index];
  const tick = element('input', {type: 'checkbox', className: 'tick', checked: ticked.has(index), disabled: !accept,
                                 title: accept ? 'Right: accept it' : 'accept cannot store it'});
  tick.setAttribute('aria-label', 'Accept ' + name);
  tick.onchange = () => tickAll([index], tick.checked);
  return [tick];
}

function tickAll(indices, isTicked) {
  for (const index of indices) {
    if (!run.failures[index].accept) continue;
    if (isTicked) ticked.add(index);
    else ticked.delete(index);
  }
  drawList();
  showTicked();
}

function showTicked() {
  const box = byId('accepting');
  box.hidden = !canAccept;
  const chosen = [...ticked].sort((a, b) => a - b).map(index => run.failures[index]);
  byId('ticked').textContent = chosen.length === 0 ? 'Tick what is right, to accept it' : `${grouped(chosen.length)} ticked`;
  byId('command').textContent = chosen.length === 0 ? '' : commandFor(chosen);
  byId('copy').disabled = byId('untick').disabled = chosen.length === 0;
  byId('command').hidden = chosen.length === 0;
}

// Browsers may refuse the clipboard to files; then the command is selected, for the person to copy.
async function copyCommand() {
  const command = byId('command');
  getSelection().selectAllChildren(command);
  let isCopied = document.execCommand('copy');
  if (!isCopied) isCopied = await navigator.clipboard?.writeText(command.textContent).then(() => true, () => false);
  announce('ticked', isCopied ? 'Copied' : 'Selected: copy it');
}

byId('copy').onclick = copyCommand;
byId('tick').onclick = () => tickAll(listed, true);
byId('untick').onclick = () => tickAll([...ticked], false);
showTicked();
