'use strict';
(() => {
  const figures = [...document.querySelectorAll('figure.moving')];
  const say = (figure, text) => { figure.querySelector('.waiting').textContent = text; };

  // What gzip has packed and base64 written.
  const unpack = async (text) => {
    const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  };

  // The viewer is a script whose digest the page's policy has.
  let loading = null;
  const viewer = () => loading ??= unpack(document.getElementById('three-d-mol').textContent).then((bytes) => {
    const script = document.createElement('script');
    script.textContent = new TextDecoder().decode(bytes);
    document.head.append(script);
    if (!window.$3Dmol) throw new Error('the viewer did not start');
    return window.$3Dmol;
  });

  // A description in JSON, then differences of 16 bits: all low bytes, then all high ones.
  const read = (bytes) => {
    const length = new DataView(bytes.buffer).getUint32(0, true);
    const about = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
    const low = bytes.subarray(4 + length);
    const count = 3 * about.beads * about.frames;
    const places = new Uint16Array(count);
    let next = 0;
    for (let frame = 0; frame < about.frames; frame += 1) {
      for (let axis = 0; axis < 3; axis += 1) {
        for (let bead = 0; bead < about.beads; bead += 1, next += 1) {
          const before = frame > 0 ? places[next - 3 * about.beads] : bead > 0 ? places[next - 1] : 0;
          places[next] = before + low[next] + 256 * low[count + next];
        }
      }
    }
    return { about, at: (frame, axis, bead) => about.origin[axis] + about.step * places[(3 * frame + axis) * about.beads + bead] };
  };

  const atoms = ({ about, at }, frame) => {
    const made = Array.from({ length: about.beads }, (_, bead) => ({
      elem: 'C', serial: bead, index: bead, bonds: [], bondOrder: [],
      x: at(frame, 0, bead), y: at(frame, 1, bead), z: at(frame, 2, bead),
      color: parseInt(about.colours[about.colour[bead]].slice(1), 16), properties: { small: false },
    }));
    for (let place = 0; place < about.bonds.length; place += 2) {
      const [one, other] = [about.bonds[place], about.bonds[place + 1]];
      made[one].bonds.push(other);
      made[one].bondOrder.push(1);
      made[other].bonds.push(one);
      made[other].bondOrder.push(1);
    }
    for (const bead of about.small) made[bead].properties.small = true;
    return made;
  };

  const edges = (view, sides) => {
    const corner = (number) => ({ x: number & 1 ? sides[0] : 0, y: number & 2 ? sides[1] : 0, z: number & 4 ? sides[2] : 0 });
    const colour = getComputedStyle(document.body).getPropertyValue('--faint').trim();
    for (let from = 0; from < 8; from += 1) {
      for (const axis of [1, 2, 4]) if (!(from & axis)) view.addLine({ start: corner(from), end: corner(from | axis), color: colour });
    }
  };

  const begin = async (figure) => {
    if (!window.DecompressionStream) throw new Error('this browser cannot unpack them (DecompressionStream)');
    const lib = await viewer();
    const data = read(await unpack(figure.querySelector('script').textContent));
    const { about, at } = data;
    const stage = figure.querySelector('.stage');
    stage.hidden = false;
    const paper = () => getComputedStyle(stage).backgroundColor.match(/\d+/g).slice(0, 3).reduce((sum, part) => 256 * sum + Number(part), 0);
    const view = lib.createViewer(stage, { backgroundColor: paper(), antialias: true });
    const last = about.frames - 1;
    const model = view.addModel();
    model.addAtoms(atoms(data, last));
    const own = model.selectedAtoms({});
    const style = () => {
      view.setStyle({}, { sphere: { radius: about.radius }, stick: { radius: about.stick } });
      if (about.small.length > 0) {
        view.setStyle({ predicate: (atom) => atom.properties.small }, { sphere: { radius: about.radiusOfSmall, opacity: 0.6 } });
      }
    };
    style();
    if (about.sides) edges(view, about.sides);
    // A box is seen from a corner.
    if (about.sides) { view.rotate(30, 'y'); view.rotate(-20, 'x'); }
    view.zoomTo();
    view.render();
    const slider = figure.querySelector('.frame');
    const time = figure.querySelector('.time');
    const play = figure.querySelector('.play');
    slider.max = last;
    slider.value = last;
    const tell = (frame) => {
      const stageName = about.stages[frame] ? `, ${about.stages[frame]}` : '';
      const unit = about.unit ? ` ${about.unit}` : '';
      time.textContent = `${+about.times[frame].toPrecision(6)}${unit}${stageName} (${frame + 1} of ${about.frames})`;
    };
    const show = (frame) => {
      own.forEach((atom, bead) => { atom.x = at(frame, 0, bead); atom.y = at(frame, 1, bead); atom.z = at(frame, 2, bead); });
      style();
      view.render();
      tell(frame);
    };
    tell(last);
    slider.addEventListener('input', () => show(Number(slider.value)));
    let timer = null;
    const stop = () => { clearTimeout(timer); timer = null; play.textContent = 'Play'; };
    const step = () => {
      const frame = Number(slider.value) < last ? Number(slider.value) + 1 : 0;
      slider.value = frame;
      show(frame);
      // A frame is drawn before the next one is waited for, so that slow browsers are not flooded; the end is held.
      timer = setTimeout(step, frame === last ? 1200 : 90);
    };
    play.addEventListener('click', () => { if (timer) { stop(); } else { play.textContent = 'Pause'; step(); } });
    figure.querySelector('.all').addEventListener('click', () => { view.zoomTo(); view.render(); });
    figure.querySelector('.controls').hidden = last === 0;
    figure.querySelector('.waiting').hidden = true;
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { view.setBackgroundColor(paper()); view.render(); });
    addEventListener('resize', () => { view.resize(); view.render(); });
    // Paper has the frame that is on the screen, on white.
    const print = figure.querySelector('.print');
    const onPaper = () => {
      view.setBackgroundColor(0xffffff);
      view.render();
      print.src = view.pngURI();
      view.setBackgroundColor(paper());
      view.render();
    };
    addEventListener('beforeprint', onPaper);
    figure.classList.add('ready');
  };

  // Beads are unpacked when they come into sight. Of those that never did, paper has the last frame, which the page holds.
  const started = new Map();
  const start = (figure) => {
    if (!started.has(figure)) {
      started.set(figure, begin(figure).catch((error) => {
        figure.querySelector('.stage').hidden = true;
        figure.classList.add('still');
        say(figure, `Beads cannot be shown: ${error.message || error}.`);
      }));
    }
    return started.get(figure);
  };
  const watch = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) start(target);
  }, { rootMargin: '300px' });
  for (const figure of figures) { say(figure, 'Beads are being unpacked …'); watch.observe(figure); }
})();
