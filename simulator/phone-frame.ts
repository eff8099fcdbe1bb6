/** The frame of the phone page: escaping, look, script, and the policy that names their hashes. Invariant: a value reaches the page escaped or not at all, and nothing is loaded from outside. */
import { createHash } from 'node:crypto'

/** Text that is already HTML. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Value = string | number | Html | readonly Html[] | null

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  const written = values.map((value) => {
    if (value === null) return ''
    if (value instanceof Html) return value.text
    if (typeof value === 'object') return value.map((part) => part.text).join('')
    return String(value).replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '')
  })
  return new Html(String.raw({ raw: parts }, ...written))
}

const style = `
:root{color-scheme:light;font-family:system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;line-height:1.4}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1320px;background:#e8ebef;color:#17202a;padding:12px 12px 32px;overflow-wrap:anywhere}
a{color:#0b5a4b}
.top{display:flex;flex-wrap:wrap;gap:8px 24px;justify-content:space-between;align-items:end;margin-bottom:14px}
.top h1{font-size:20px;margin:0}
.top p{margin:2px 0 0;font-size:14px;color:#384553}
.pick{display:flex;flex-wrap:wrap;gap:8px;align-items:end}
.pick label{margin:0 0 4px}
.pick input{width:200px}
.pick button{flex:none;padding:0 18px}
.pick .problem{flex-basis:100%}
.phones{display:flex;flex-wrap:wrap;gap:18px;justify-content:center}
.phone{width:100%;max-width:296px;display:flex;flex-direction:column;background:#12181f;border-radius:36px;padding:11px;box-shadow:0 8px 28px rgba(18,24,31,.28)}
.phone:before{content:'';width:64px;height:5px;border-radius:3px;background:#4a5663;margin:0 auto 8px}
.alone .phone{max-width:340px}
.screen{background:#f5f7f9;border-radius:26px;min-height:610px;flex:1;display:flex;flex-direction:column;overflow:hidden;position:relative}
.bar{display:flex;justify-content:space-between;gap:8px;padding:9px 18px 7px;font-size:13px;font-weight:650;background:#384553;color:#fff}
.bar span:last-child{font-variant-numeric:tabular-nums}
.mpesa .bar{background:#0a7d33}.airtel .bar{background:#b90e2a}.mixx .bar{background:#1d3f8f}.halotel .bar{background:#b04a00}
.number{margin:0;padding:12px 18px 4px;font-size:18px;font-weight:650;font-variant-numeric:tabular-nums}
.number a{color:inherit}
.veil .number{padding:0 4px 10px;color:#fff}
.sms{list-style:none;margin:0;padding:8px 14px 14px;display:flex;flex-direction:column;gap:8px}
.sms li{background:#fff;border:1px solid #dde3e8;border-radius:4px 14px 14px 14px;padding:10px 12px;font-size:14px}
.sms time{display:block;margin-top:4px;font-size:12px;color:#52606d}
.sms .good{border-left:4px solid #17805f}.sms .bad{border-left:4px solid #b3372b}.sms .open{border-left:4px solid #a56a00}
.empty{margin:auto;padding:24px;text-align:center;color:#52606d;font-size:15px}
.veil{background:#454e58;flex:1;display:flex;flex-direction:column;justify-content:center;padding:14px 12px}
.ussd{width:100%;background:#fff;border-radius:14px;padding:16px 14px 12px;margin:0;box-shadow:0 4px 18px rgba(0,0,0,.3)}
.ussd h3{margin:0 0 6px;font-size:16px}
.ussd p{margin:0 0 10px;font-size:15px}
.ussd .wrong{background:#fdecea;color:#8f251b;border-radius:8px;padding:8px 10px}
.ussd .note{font-size:13px;color:#52606d;margin:8px 0 0}
.one{white-space:nowrap;font-variant-numeric:tabular-nums}
label{display:block;font-size:14px;font-weight:600;margin:4px 0 6px}
input{width:100%;font:inherit;font-size:22px;letter-spacing:.3em;padding:7px 12px;border:2px solid #7b8794;border-radius:10px;background:#fff;color:inherit}
input.tel{font-size:17px;letter-spacing:normal;padding:9px 12px}
input:focus-visible,button:focus-visible,a:focus-visible,summary:focus-visible{outline:3px solid #1d6fd6;outline-offset:2px}
.pad{display:none;grid-template-columns:repeat(3,1fr);gap:6px;margin-top:8px}
.js .pad{display:grid}
.pad button{min-height:44px;border:1px solid #b8c2cc;background:#eef1f4;color:#17202a;font-size:19px}
.pad .wide{font-size:15px}
.keys{display:flex;gap:10px;margin-top:10px}
button{flex:1;min-height:46px;font:inherit;font-weight:650;border-radius:10px;border:2px solid #0b5a4b;background:#0b5a4b;color:#fff;cursor:pointer}
button.second{background:#fff;color:#0b5a4b}
.play{display:flex;gap:4px;margin-top:6px}
.play button{min-height:44px;border:0;background:none;color:#384553;font-weight:500;font-size:14px;text-decoration:underline}
.below{display:grid;gap:8px 32px;margin-top:22px;font-size:14px;color:#384553}
.below h2{font-size:16px;margin:0 0 6px;color:#17202a}
.below ul{margin:6px 0;padding-left:18px;columns:16em}
.below p{margin:6px 0}
summary{cursor:pointer;font-weight:600;padding:10px 0}
.rows{list-style:none;margin:0;padding:0}
.below .rows{columns:auto;padding:0}
.rows li{display:flex;flex-wrap:wrap;gap:2px 12px;align-items:baseline;border-top:1px solid #cfd7de;padding:9px 0}
.rows a{display:inline-block;padding:2px 0;font-weight:600;font-variant-numeric:tabular-nums}
.rows time{font-variant-numeric:tabular-nums}
.rows .became{margin-left:auto;font-weight:600}
.became.good{color:#0b5a4b}.became.bad{color:#8f251b}.became.open{color:#6e4700}
.problem{color:#8f251b;font-size:14px;margin:4px 0 0}
.tag{display:inline-block;border-radius:5px;padding:0 6px;font-size:11px;font-weight:700;background:#ffe8b3;color:#5f3b00}
.tag.live{background:#d6efe6;color:#06402f}
@media (min-width:900px){.below{grid-template-columns:3fr 2fr}}
@media (max-width:700px){.still .screen{min-height:0}.still .empty{padding:10px 18px 18px}.phones{gap:14px}}
`

// Optional: fetches this same page and replaces each part of it that has changed, so that a partly typed PIN on another phone
// stays.
const script = `
(function(){
  var phones=document.getElementById('phones');
  document.documentElement.className='js';
  function tick(){
    document.querySelectorAll('[data-closes]').forEach(function(left){
      left.textContent='('+Math.max(0,Math.ceil((Number(left.dataset.closes)-Date.now())/1000))+' s)';
    });
  }
  function parts(root){
    var found={};
    root.querySelectorAll('[data-state]').forEach(function(part){found[part.id]=part});
    return found;
  }
  function ready(root){
    if(matchMedia('(pointer:coarse)').matches)root.querySelectorAll('input[name=pin]').forEach(function(pin){pin.inputMode='none'});
  }
  function renew(page){
    var old=parts(document),now=parts(page),rang=null,wasHere=false;
    Object.keys(old).forEach(function(id){if(!now[id])old[id].remove()});
    Object.keys(now).forEach(function(id){
      if(old[id]&&old[id].dataset.state===now[id].dataset.state)return;
      var part=document.adoptNode(now[id]);
      if(old[id]){wasHere=wasHere||old[id].contains(document.activeElement);old[id].replaceWith(part)}
      else phones.append(part);
      ready(part);
      rang=rang||part.querySelector('input[name=pin]');
    });
    if(rang&&(wasHere||document.activeElement===document.body))rang.focus({preventScroll:true});
    tick();
  }
  function poll(){
    if(document.hidden)return;
    fetch(location.href,{cache:'no-store'}).then(function(r){return r.text()}).then(function(t){
      renew(new DOMParser().parseFromString(t,'text/html'));
    }).catch(function(){});
  }
  document.addEventListener('click',function(e){
    var key=e.target.closest('[data-key]');
    if(!key)return;
    var pin=key.form.elements.pin;
    pin.value=key.dataset.key===''?pin.value.slice(0,-1):(pin.value+key.dataset.key).slice(0,4);
  });
  setInterval(tick,500);setInterval(poll,1000);tick();ready(document);
})();
`

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Only the content of this page itself; JSON answers get the policy too and need nothing. */
export const phoneContentPolicy = {
  useDefaults: false,
  directives: {
    'default-src': ["'none'"],
    'style-src': [hashOf(style)],
    'script-src': [hashOf(script)],
    'connect-src': ["'self'"],
    'form-action': ["'self'"],
    'img-src': ['data:'],
    'base-uri': ["'none'"],
    // The page of a local start shows the phone beside its other things.
    'frame-ancestors': ['http://127.0.0.1:*', 'http://localhost:*'],
  },
}

// Built as one string: the hashes above cover every character between the tags.
const styleTag = new Html(`<style>${style}</style>`)
const scriptTag = new Html(`<script>${script}</script>`)

/** A part of a page that the script replaces when its `state` has changed. */
export function part(about: { id: string; className: string; label: string; state: string }, body: Html): Html {
  return html`<section id="${about.id}" class="${about.className}" data-state="${about.state}" aria-label="${about.label}">
    ${body}
  </section>`
}

/** A whole page: `phones` side by side, the rest below. `refreshSeconds` is for browsers without JavaScript. */
export function page(title: string, refreshSeconds: number, about: { top: Html; phones: readonly Html[]; below: Html }): string {
  return html`<!doctype html>
    <html lang="sw">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        <noscript><meta http-equiv="refresh" content="${refreshSeconds}" /></noscript>
        ${styleTag}
      </head>
      <body>
        <header class="top">${about.top}</header>
        <main id="phones" class="${about.phones.length === 1 ? 'phones alone' : 'phones'}">${about.phones}</main>
        <aside class="below" lang="en">${about.below}</aside>
        ${scriptTag}
      </body>
    </html>`.text
}
