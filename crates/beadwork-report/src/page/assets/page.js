'use strict';
(() => {
  document.documentElement.classList.add('scripted');

  // A figure in a window of its own: the wheel zooms about the pointer, dragging moves.
  const dialog = document.createElement('dialog');
  const bar = document.createElement('div');
  const sheet = document.createElement('div');
  const title = document.createElement('strong');
  bar.className = 'bar';
  sheet.className = 'sheet';
  bar.append(title);
  dialog.append(bar, sheet);
  document.body.append(dialog);
  let scale = 1, x = 0, y = 0;
  const place = () => {
    const drawing = sheet.firstElementChild;
    if (drawing) drawing.style.transform = `translate(${x}px, ${y}px) scale(${scale})`;
  };
  const all = () => { scale = 1; x = 0; y = 0; place(); };
  const zoom = (factor, atX, atY) => {
    const to = Math.min(60, Math.max(1, scale * factor));
    x = atX - (atX - x) * to / scale;
    y = atY - (atY - y) * to / scale;
    scale = to;
    if (scale === 1) { x = 0; y = 0; }
    place();
  };
  const button = (text, label, act) => {
    const made = document.createElement('button');
    made.type = 'button';
    made.textContent = text;
    made.setAttribute('aria-label', label);
    made.addEventListener('click', act);
    bar.append(made);
  };
  const middle = (factor) => zoom(factor, sheet.clientWidth / 2, sheet.clientHeight / 2);
  button('+', 'larger', () => middle(1.5));
  button('−', 'smaller', () => middle(1 / 1.5));
  button('All', 'show all', all);
  button('Close', 'close', () => dialog.close());
  sheet.addEventListener('wheel', (event) => {
    event.preventDefault();
    const frame = sheet.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY / 300), event.clientX - frame.left, event.clientY - frame.top);
  }, { passive: false });
  let held = null;
  sheet.addEventListener('pointerdown', (event) => {
    held = [event.clientX - x, event.clientY - y];
    sheet.setPointerCapture(event.pointerId);
  });
  sheet.addEventListener('pointermove', (event) => {
    if (!held) return;
    x = event.clientX - held[0];
    y = event.clientY - held[1];
    place();
  });
  for (const end of ['pointerup', 'pointercancel']) sheet.addEventListener(end, () => { held = null; });
  sheet.addEventListener('dblclick', all);
  dialog.addEventListener('close', () => sheet.replaceChildren());
  const enlarge = (plot) => {
    const drawing = plot.firstElementChild.cloneNode(true);
    // Names inside figures belong to the copy in the page, which holds the same.
    sheet.replaceChildren(drawing);
    dialog.className = plot.classList.contains('map') ? 'map' : '';
    title.textContent = plot.getAttribute('aria-label') || drawing.getAttribute('alt') || '';
    all();
    dialog.showModal();
  };
  for (const plot of document.querySelectorAll('.plot')) {
    plot.tabIndex = 0;
    plot.addEventListener('click', () => enlarge(plot));
    plot.addEventListener('keydown', (event) => { if (event.key === 'Enter') enlarge(plot); });
  }

  // Search and order in lists of members. Every word must be in a line; "column > number" compares.
  const comparison = /^(.+?)\s*(<=|>=|=|<|>)\s*(.+)$/;
  const compare = {
    '<': (a, b) => a < b, '>': (a, b) => a > b, '<=': (a, b) => a <= b, '>=': (a, b) => a >= b, '=': (a, b) => a === b,
  };
  const value = (text) => text !== '' && isFinite(text) ? Number(text) : text.toLowerCase();
  for (const list of document.querySelectorAll('.listed')) {
    const field = list.querySelector('input');
    const count = list.querySelector('.count');
    const heads = [...list.querySelectorAll('thead th')];
    const body = list.querySelector('tbody');
    const lines = [...body.rows].map((row) => ({ row, cells: [...row.cells].map((cell) => cell.textContent) }));
    list.querySelector('.search').hidden = false;
    const test = (part) => {
      const found = comparison.exec(part);
      const place = found ? heads.findIndex((head) => head.textContent.toLowerCase().includes(found[1].toLowerCase())) : -1;
      if (place >= 0) {
        const wanted = value(found[3]);
        return ({ cells }) => {
          const own = value(cells[place]);
          return typeof own === typeof wanted && compare[found[2]](own, wanted);
        };
      }
      const word = part.toLowerCase();
      return ({ cells }) => cells.some((cell) => cell.toLowerCase().includes(word));
    };
    const search = () => {
      const tests = field.value.split(',').map((part) => part.trim()).filter(Boolean).map(test);
      let shown = 0;
      for (const line of lines) {
        line.row.hidden = !tests.every((one) => one(line));
        if (!line.row.hidden) shown += 1;
      }
      count.textContent = `${shown} of ${lines.length}`;
    };
    field.addEventListener('input', search);
    search();
    heads.forEach((head, place) => head.addEventListener('click', () => {
      const falls = head.getAttribute('aria-sort') === 'ascending';
      for (const other of heads) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', falls ? 'descending' : 'ascending');
      lines.sort((one, other) => {
        const [a, b] = [value(one.cells[place]), value(other.cells[place])];
        const order = typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === 'number' ? -1 : 1;
        return falls ? -order : order;
      });
      body.append(...lines.map((line) => line.row));
    }));
  }

  // Paper shows what is closed on the screen.
  let closed = [];
  addEventListener('beforeprint', () => {
    closed = [...document.querySelectorAll('details:not([open])')];
    for (const one of closed) one.open = true;
  });
  addEventListener('afterprint', () => { for (const one of closed) one.open = false; });
})();
