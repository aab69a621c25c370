// Runs in the page: what is wider than the window, cut off, painted where it does not belong, out of order, or without a frame.
({ suspects, hidden, turns }) => {
  const found = { sideways: [], covered: [], order: [], unmarked: [] };
  const main = document.querySelector('main');
  const say = (element) => [element.tagName.toLowerCase(), ...element.classList].slice(0, 2).join('.');
  const style = (element) => getComputedStyle(element);
  const texts = [];
  for (const walk = document.createTreeWalker(main, NodeFilter.SHOW_TEXT); walk.nextNode(); )
    if (walk.currentNode.data.trim() && !walk.currentNode.parentElement.matches('textarea:not(.exact)')) texts.push(walk.currentNode);

  // Nothing scrolls sideways.
  const wide = document.documentElement.scrollWidth - innerWidth;
  if (wide > 0) found.sideways.push(`${wide} px`);

  // What is seen of an element beyond that place: letters and frames. A blank that hangs over the end of its line is not.
  const reaches = (element, edge) => {
    if ([...element.querySelectorAll('mark')].some((mark) => [...mark.getClientRects()].some((box) => box.right > edge))) return true;
    const range = document.createRange();
    for (const walk = document.createTreeWalker(element, NodeFilter.SHOW_TEXT); walk.nextNode(); )
      for (const letter of walk.currentNode.data.matchAll(/\S/gu)) {
        range.setStart(walk.currentNode, letter.index);
        range.setEnd(walk.currentNode, letter.index + letter[0].length);
        if ([...range.getClientRects()].some((box) => box.right > edge)) return true;
      }
    return false;
  };

  // Nothing is cut off, but the sentence in the bar, which stands above in full.
  for (const element of main.querySelectorAll('*')) {
    if (element.closest('svg, textarea, .bar p')) continue;
    const own = style(element);
    const over = element.scrollWidth - element.clientWidth;
    const room = own.overflowX === 'clip' ? parseFloat(own.overflowClipMargin) || 0 : 0; // is drawn: the edge of a frame, a focus ring
    if (own.display !== 'inline' && own.overflowX !== 'visible' && element.clientWidth && over > 1 + room
        && reaches(element, element.getBoundingClientRect().right + room + 1))
      found.covered.push(`${say(element)} cuts off ${over} px`);
  }

  // What could be drawn beyond its line has a place that keeps it in.
  const strange = /[^\x00-\x7f\u2018-\u201e\u2026\u00b7\u2013\u2014\u23ce\u21e5\u2192]|\S{60}/;
  for (const node of texts) {
    if (!strange.test(node.data)) continue;
    let place = node.parentElement;
    while (place !== main && style(place).overflowX === 'visible') place = place.parentElement;
    if (place === main && !document.querySelector('table[role=presentation]'))
      found.covered.push(`${say(node.parentElement)} has nothing that keeps it in its place`);
  }

  // The bar is low, and what ends above it can be scrolled into view.
  const bar = document.querySelector('.bar');
  if (bar) {
    if (bar.offsetHeight > 0.2 * innerHeight + 1) found.covered.push(`bar of ${bar.offsetHeight} px`);
    const last = [...document.querySelectorAll('.facts dd, .facts blockquote, .facts .box, .facts pre')].pop();
    if (last && last.offsetHeight) {
      last.scrollIntoView({ block: 'end', behavior: 'instant' });
      const under = last.getBoundingClientRect().bottom - bar.getBoundingClientRect().top;
      if (under > 1) found.covered.push(`${say(last)} ends ${under} px under the bar`);
    }
  }

  // In each block, every character stands behind the one before it; in a text of right-to-left letters only, before it.
  const blockOf = (node) => {
    let block = node.parentElement;
    while (style(block).display.startsWith('inline')) block = block.parentElement;
    return block;
  };
  if (turns) {
    const blocks = Map.groupBy(texts, blockOf);
    const range = document.createRange();
    for (const [block, nodes] of blocks) {
      if (!nodes.some((node) => /[\u0590-\u08ff]/.test(node.data)) || block.matches('textarea')) continue;
      let last = null;
      let left = 1500;
      for (const node of nodes) {
        const nearest = node.parentElement.closest('bdo, mark'); // a frame has an order of its own
          const turned = nearest && nearest.matches('bdo[dir=rtl]') ? nearest : null;
        for (let at = 0; at < node.length && left > 0; at++) {
          if (/\s/.test(node.data[at])) continue;
          range.setStart(node, at);
          range.setEnd(node, at + 1);
          const box = range.getBoundingClientRect();
          if (box.width < 0.5) continue;
          left -= 1;
          const middle = (box.top + box.bottom) / 2;
          const sameLine = last && last.turned === turned && middle > last.box.top && middle < last.box.bottom;
          if (sameLine && (turned ? box.right > last.box.right + 0.5 : box.left < last.box.left - 0.5))
            found.order.push(`${say(block)}: ${node.data.slice(Math.max(0, at - 3), at + 3)}`);
          last = { box, turned };
        }
      }
    }
    for (const field of main.querySelectorAll('textarea.exact'))
      if (style(field).unicodeBidi !== 'bidi-override') found.order.push('the field has an order of its own');
  }

  // What hides stands nowhere, what passes for something else in a frame only, and somebody has to have seen it.
  const name = (character) => `U+${character.codePointAt(0).toString(16)}`;
  for (const node of texts) {
    const framed = node.parentElement.closest('mark');
    const uncoded = node.data.replace(/\S\[U\+[0-9A-F]+\]/gu, ''); // beyond so many frames in a value its code stands beside a letter
    for (const character of framed ? hidden : hidden + suspects)
      if (uncoded.includes(character)) found.unmarked.push(`${name(character)} in ${say(node.parentElement)}`);
  }
  if ((hidden || suspects) && document.querySelector('[id^=accept-form]') && !document.querySelector('input[name^=saw]'))
    found.unmarked.push('nobody has to have seen it');
  return found;
}
