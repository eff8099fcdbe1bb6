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
body{margin:0;background:#e8ebef;color:#17202a;display:flex;flex-direction:column;align-items:center;gap:12px;padding:12px 12px 32px}
a{color:#0b5a4b}
.phone{width:100%;max-width:340px;background:#12181f;border-radius:34px;padding:12px;box-shadow:0 8px 28px rgba(18,24,31,.28)}
.screen{background:#f5f7f9;border-radius:24px;min-height:540px;display:flex;flex-direction:column;overflow:hidden;position:relative}
.bar{display:flex;justify-content:space-between;gap:8px;padding:10px 18px 8px;font-size:13px;font-weight:600;background:#fff;border-bottom:1px solid #dde3e8}
.bar span:last-child{font-variant-numeric:tabular-nums}
.number{margin:0;padding:12px 18px 4px;font-size:18px;font-weight:650;font-variant-numeric:tabular-nums}
.sms{list-style:none;margin:0;padding:8px 14px 14px;display:flex;flex-direction:column;gap:8px}
.sms li{background:#fff;border:1px solid #dde3e8;border-radius:4px 14px 14px 14px;padding:10px 12px;font-size:14px;overflow-wrap:anywhere}
.sms time{display:block;margin-top:4px;font-size:12px;color:#52606d}
.sms .good{border-left:4px solid #17805f}.sms .bad{border-left:4px solid #b3372b}.sms .open{border-left:4px solid #a56a00}
.empty{margin:auto;padding:24px;text-align:center;color:#52606d;font-size:15px}
.veil{background:rgba(18,24,31,.62);flex:1;display:flex;align-items:center;padding:16px}
.ussd{width:100%;background:#fff;border-radius:14px;padding:18px 16px 14px;margin:0;box-shadow:0 4px 18px rgba(0,0,0,.3)}
.ussd h1{margin:0 0 8px;font-size:17px}
.ussd p{margin:0 0 10px;font-size:15px;overflow-wrap:anywhere}
.ussd .amount{font-size:26px;font-weight:700;margin:2px 0 6px;font-variant-numeric:tabular-nums}
.ussd .wrong{background:#fdecea;color:#8f251b;border-radius:8px;padding:8px 10px}
.ussd .note{font-size:13px;color:#52606d;margin:10px 0 0}
label{display:block;font-size:14px;font-weight:600;margin:4px 0 6px}
input{width:100%;font:inherit;font-size:22px;letter-spacing:.3em;padding:9px 12px;border:2px solid #7b8794;border-radius:10px;background:#fff;color:inherit}
input.tel{font-size:17px;letter-spacing:normal}
input:focus-visible,button:focus-visible,a:focus-visible{outline:3px solid #1d6fd6;outline-offset:2px}
.keys{display:flex;gap:10px;margin-top:12px}
button{flex:1;min-height:46px;font:inherit;font-weight:650;border-radius:10px;border:2px solid #0b5a4b;background:#0b5a4b;color:#fff;cursor:pointer}
button.second{background:#fff;color:#0b5a4b}
button.third{flex:none;width:100%;margin-top:8px;min-height:44px;border:0;background:none;color:#384553;font-weight:500;text-decoration:underline}
.side{width:100%;max-width:340px;font-size:14px;color:#384553}
.side h2{font-size:15px;margin:14px 0 6px;color:#17202a}
.side ul{margin:0;padding-left:18px}
.side p{margin:6px 0}
.ringing{list-style:none;margin:0;padding:8px 14px 14px;display:flex;flex-direction:column;gap:8px}
.ringing a{display:block;background:#fff;border:1px solid #cfd7de;border-radius:12px;padding:11px 14px;text-decoration:none;color:#17202a}
.ringing b{font-variant-numeric:tabular-nums;font-size:16px}
.ringing a>span{display:block;font-size:13px;color:#384553}
.pick{padding:6px 14px 16px}
.problem{color:#8f251b;font-size:14px;margin:8px 0 0}
.tag{display:inline-block;border-radius:5px;padding:0 6px;font-size:11px;font-weight:700;background:#ffe8b3;color:#5f3b00}
.tag.live{background:#d6efe6;color:#06402f}
`

// Progressive only: fetches this same page and swaps the screen when something on the phone has changed, so that a half-typed PIN stays.
const script = `
(function(){
  function tick(){
    var left=document.querySelector('[data-closes]');
    if(left){var s=Math.max(0,Math.ceil((Number(left.dataset.closes)-Date.now())/1000));left.textContent='('+s+' s)'}
  }
  function poll(){
    if(document.hidden)return;
    fetch(location.href,{cache:'no-store'}).then(function(r){return r.text()}).then(function(t){
      var now=new DOMParser().parseFromString(t,'text/html').querySelector('main'),old=document.querySelector('main');
      if(now&&old&&now.dataset.state!==old.dataset.state){
        var typed=old.querySelector('input[name=number]');
        old.replaceWith(document.adoptNode(now));
        var number=document.querySelector('input[name=number]');
        if(typed&&number&&typed.value){number.value=typed.value;number.focus()}
        var pin=document.querySelector('input[name=pin]');if(pin)pin.focus();
        tick();
      }
    }).catch(function(){});
  }
  setInterval(tick,500);setInterval(poll,1000);tick();
})();
`

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Only what this page carries itself; JSON answers get it too and need nothing. */
export const phoneContentPolicy = {
  useDefaults: false,
  directives: {
    'default-src': ["'none'"],
    'style-src': [hashOf(style)],
    'script-src': [hashOf(script)],
    'connect-src': ["'self'"],
    'form-action': ["'self'"],
    'base-uri': ["'none'"],
    'frame-ancestors': ["'none'"],
  },
}

// Made in one piece: the hashes above cover every character between the tags.
const styleTag = new Html(`<style>${style}</style>`)
const scriptTag = new Html(`<script>${script}</script>`)

/** A whole page. `state` changes when the screen must be redrawn; `refreshSeconds` is for browsers without JavaScript. */
export function page(title: string, refreshSeconds: number, state: string, body: Html, side: Html): string {
  return html`<!doctype html>
    <html lang="sw">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <noscript><meta http-equiv="refresh" content="${refreshSeconds}" /></noscript>
        ${styleTag}
      </head>
      <body>
        <main class="phone" data-state="${state}"><div class="screen">${body}</div></main>
        <aside class="side" lang="en">${side}</aside>
        ${scriptTag}
      </body>
    </html>`.text
}
