/** The one style sheet and the one script of the hosted pages. Both are constant, so that the policy can admit them by their hash. */
import { createHash } from 'node:crypto'
import { constantElement } from './html.ts'

/** The source without the line breaks and the indentation that only its reader needs: each line ends where one may end. */
function joined(source: string): string {
  return source.replace(/\s*\n\s*/g, '')
}

// Plain colours instead of variables: Opera Mini knows none. Every text on its ground has a contrast of 4.5 or more.
const css = joined(`
  *{box-sizing:border-box}
  [hidden]{display:none!important}
  body{margin:0;background:#f3f5f4;color:#17211d;font:1rem/1.5 system-ui,-apple-system,Roboto,sans-serif;overflow-wrap:anywhere}
  header,main,footer{max-width:30rem;margin:0 auto;padding:0 1rem}
  header{display:flex;justify-content:space-between;align-items:center;min-height:3.25rem}
  header b{color:#0a6148;font-size:1.15rem}
  header a{padding:.75rem 0 .75rem 1rem}
  a{color:#0a6148}
  h1{font-size:1.35rem;line-height:1.3;margin:0 0 .5rem}
  h2{font-size:1rem;margin:0}
  p,ul,ol{margin:0 0 .75rem}
  ul,ol{padding-left:1.25rem}
  li{margin-bottom:.4rem}
  small{color:#4b5a54;font-size:.9rem}
  .card{background:#fff;border:1px solid #d5ddd9;border-radius:.75rem;padding:1rem;margin-bottom:1rem}
  .sum{font-size:1.75rem;font-weight:700;line-height:1.2;margin:0 0 .75rem}
  .text{white-space:pre-line}
  .one{white-space:nowrap}
  .whole{display:block}
  .ref{font-size:.9rem}
  .note,.bad,.test{border-left:.3rem solid;border-radius:.4rem;padding:.75rem 1rem;margin-bottom:1rem}
  .note{background:#e8f0fb;border-color:#2457a6}
  .test{background:#fff3cd;border-color:#8a6100}
  .bad{background:#fdecea;border-color:#b3261e}
  .bad a{color:#a3211a}
  .card>:last-child,.test>:last-child,.note>:last-child,.bad>:last-child{margin-bottom:0}
  label{display:block;font-weight:600}
  .hint{display:block;margin-bottom:.35rem}
  .err{display:block;color:#b3261e;font-weight:600;margin-bottom:.35rem}
  input{display:block;width:100%;min-height:3.1rem;padding:.6rem .8rem;margin-bottom:1.1rem;border:1px solid #66756e;
  border-radius:.5rem;background:#fff;color:inherit;font:inherit}
  input[aria-invalid]{border:2px solid #b3261e}
  button,.button{display:block;width:100%;min-height:3.25rem;padding:.75rem 1rem;border:1px solid #0a6148;border-radius:.5rem;
  background:#0a6148;color:#fff;font:inherit;font-weight:700;font-size:1.1rem;text-align:center;text-decoration:none;cursor:pointer}
  button[disabled]{background:#54665f;border-color:#54665f}
  .button{margin-bottom:1rem}
  .second{background:none;color:#0a6148}
  .second[disabled]{background:none;color:#54665f}
  form{margin-bottom:1rem}
  .more{display:block;padding:.75rem 0}
  :focus{outline:3px solid #1a5fd0;outline-offset:2px}
  dl{margin:0 0 1rem}
  dt{color:#4b5a54;font-size:.9rem}
  dd{margin:0 0 .6rem;font-weight:600}
  .mark{display:inline-block;width:2.5rem;height:2.5rem;line-height:2.5rem;border-radius:50%;margin-bottom:.5rem;
  background:#0a6148;color:#fff;font-weight:700;font-size:1.4rem;text-align:center}
  .no{background:#b3261e}
  .tick{display:inline-block;width:.42em;height:.8em;border:solid;border-width:0 .16em .16em 0;transform:rotate(45deg) translate(-.08em,-.12em)}
  .hm{background:#8a6100}
  .turn{display:inline-block;width:1.1rem;height:1.1rem;margin-right:.5rem;vertical-align:-.2rem;border:.2rem solid #c3cfc9;
  border-top-color:#0a6148;border-radius:50%;animation:turn 1s linear infinite}
  @keyframes turn{to{transform:rotate(360deg)}}
  summary{cursor:pointer;padding:.75rem 0;font-weight:600}
  footer{padding-top:.5rem;padding-bottom:2rem}
  @media (prefers-reduced-motion:reduce){
  .turn{animation:none}
  }
  @media (prefers-color-scheme:dark){
  body{background:#101614;color:#e8eeeb}
  .card{background:#1a2320;border-color:#37443f}
  header b,a{color:#6fd3b0}
  small,dt{color:#afbdb6}
  input{background:#101614;border-color:#8a9a93}
  .note{background:#172740;border-color:#8ab4f8}
  .test{background:#382c08;border-color:#e0b040}
  .bad{background:#3a1714;border-color:#f2877f}
  .err,.bad a{color:#ff9d95}
  input[aria-invalid]{border-color:#ff9d95}
  .button{color:#fff}
  .second{color:#6fd3b0;border-color:#6fd3b0}
  .second[disabled]{color:#afbdb6;border-color:#afbdb6}
  :focus{outline-color:#8ab4f8}
  .turn{border-color:#37443f;border-top-color:#6fd3b0}
  }
  @media print{
  header a,footer,.button,.more{display:none}
  body,.card{background:#fff;color:#000}
  }
`)

// For browsers of 2012 and later: no arrow functions, no fetch. A status that is not the one on the screen loads the page anew.
const js = joined(`
  (function(){
    var d=document,w=window,
    get=function(id){return d.getElementById(id)},
    form=get('pay'),card=get('wait'),errors=get('errors');
    if(errors)errors.focus();
    if(form){
      var button=get('send'),label=button.textContent,
      ready=function(){button.disabled=false;button.textContent=label};
      form.onsubmit=function(){
        if(button.disabled)return false;
        button.disabled=true;
        button.textContent=button.getAttribute('data-busy');
        setTimeout(ready,20000)
      };
      w.onpageshow=ready
    }
    var again=get('again');
    if(again){
      var soon=get('soon'),until=+new Date()+again.getAttribute('data-in')*1000,
      counting=setInterval(function(){
        var left=Math.ceil((until-new Date())/1000);
        soon.textContent=soon.textContent.replace(/[0-9]+/,left);
        if(left>0)return;
        clearInterval(counting);
        again.disabled=false;
        soon.hidden=true
      },1000)
    }
    if(card){
      var asked=0,busy,timer,
      poll=function(){
        clearTimeout(timer);
        if(busy)return;
        busy=1;
        if(++asked>60)get('slow').hidden=false;
        var x=new XMLHttpRequest();
        x.open('GET',card.getAttribute('data-url'));
        x.timeout=15000;
        x.onreadystatechange=function(){
          if(x.readyState!==4)return;
          busy=0;
          get('offline').hidden=x.status>0;
          if(asked<400)timer=setTimeout(poll,asked<60?3000:10000);
          if(x.status===200&&JSON.parse(x.responseText).data.status!==card.getAttribute('data-status'))
          location.replace(location.pathname+location.search)
        };
        x.send()
      },
      back=function(){if(!d.hidden)poll()};
      timer=setTimeout(poll,3000);
      d.addEventListener('visibilitychange',back);
      w.addEventListener('online',back)
    }
  })()
`)

export const style = constantElement('style', css)
export const script = constantElement('script', js)

function hashOf(source: string): string {
  return `'sha256-${createHash('sha256').update(source).digest('base64')}'`
}

/** What these pages may load and do: their own style and script, status questions to our API, forms to this host. */
export function contentSecurityPolicy(apiUrl: string): string {
  return [
    "default-src 'none'",
    `style-src ${hashOf(css)}`,
    `script-src ${hashOf(js)}`,
    `connect-src ${new URL(apiUrl).origin}`,
    'img-src data:',
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}
