/** The style sheet and the script of the hosted pages. Both are constant, so that the policy can allow them by hash. */
import { createHash } from 'node:crypto'
import { constantElement } from './html.ts'

/** The source without line breaks and indentation; each line must end where a statement may end. */
function joined(source: string): string {
  return source.replace(/\s*\n\s*/g, '')
}

// Elements that need the script keep their place before it has loaded, where a browser supports that; elsewhere the script shows
// them. Plain colours instead of variables, because Opera Mini does not support them. Every text has a contrast of at least 4.5
// with its background.
const css = joined(`
  *{box-sizing:border-box}
  [hidden]{display:none!important}
  body{margin:0;background:#f2f5f3;color:#17211d;font:1rem/1.5 system-ui,-apple-system,Roboto,sans-serif;overflow-wrap:anywhere}
  header,main,footer{max-width:28rem;margin:0 auto;padding:0 1rem}
  header{display:flex;justify-content:space-between;align-items:center}
  header b{color:#0a6148;font-size:1.1rem;letter-spacing:.01em}
  header a{padding:.75rem 0 .75rem 1.5rem}
  a{color:#0a6148}
  h1{font-size:1.3rem;line-height:1.3;margin:0 0 .5rem}
  h2{font-size:1rem;margin:0}
  p,ul,ol{margin:0 0 .75rem}
  ul,ol{padding-left:1.25rem}
  li{margin-bottom:.5rem}
  small,.ref,dt,.for{color:#4b5a54;font-size:.9rem}
  .card{background:#fff;border:1px solid #d8e0dc;border-radius:.9rem;padding:1.1rem 1rem;margin-bottom:1rem}
  .sum{font-size:1.9rem;font-weight:700;line-height:1.2;margin:0 0 .75rem}
  .text{white-space:pre-line}
  .one{white-space:nowrap}
  .ref{overflow-wrap:anywhere;font-size:.85rem;font-weight:400}
  .who{display:flex;align-items:center;padding-bottom:.9rem;margin-bottom:.9rem;border-bottom:1px solid #e3e9e6}
  .who p{margin:0;line-height:1.35}
  .who small,.who b{display:block}
  .letter{flex:none;width:2.75rem;height:2.75rem;line-height:2.75rem;margin-right:.75rem;border-radius:50%;background:#dcebe4;color:#0a4f3b;
  font-weight:700;font-size:1.2rem;text-align:center}
  .logo{flex:none;margin-right:.75rem;border-radius:.4rem}
  .known{color:#0a6148}
  .note,.bad,.test{border-left:.3rem solid;border-radius:.4rem;padding:.7rem .9rem;margin-bottom:1rem}
  .note{background:#e8f0fb;border-color:#2457a6}
  .test{background:#fff3cd;border-color:#8a6100;font-size:.9rem}
  .bad{background:#fdecea;border-color:#b3261e}
  .bad a{color:#a3211a}
  .bad li a{display:block;padding:.65rem 0}
  .bad ul{margin:0}
  .bad li{margin:0}
  .card>:last-child,.test>:last-child,.note>:last-child,.bad>:last-child{margin-bottom:0}
  label{display:block;font-weight:600}
  .err{display:block;color:#b3261e;font-weight:600}
  input,select{display:block;width:100%;min-height:3.1rem;padding:.6rem .8rem;margin:.35rem 0 1.1rem;border:1px solid #66756e;
  border-radius:.6rem;background:#fff;color:inherit;font:inherit}
  input[aria-invalid]{border:2px solid #b3261e}
  button,.button{display:block;width:100%;min-height:3.25rem;padding:.75rem 1rem;border:1px solid #0a6148;border-radius:.6rem;
  background:#0a6148;color:#fff;font:inherit;font-weight:700;font-size:1.1rem;text-align:center;text-decoration:none;cursor:pointer}
  button[disabled]{background:#54665f;border-color:#54665f}
  button,.button,form{margin:0 0 1rem}
  .second{background:none;color:#0a6148;font-size:1rem}
  .second[disabled]{background:none;color:#54665f}
  .quiet{border:0;font-weight:400;text-decoration:underline}
  .more,.dial{display:block;padding:.7rem 0}
  .dial{display:inline-block;margin:-.7rem 0;font-weight:700}
  :focus{outline:3px solid #1a5fd0;outline-offset:2px}
  h1:focus{outline:0}
  dl{margin:0 0 .75rem}
  dl div{padding:.55rem 0;border-bottom:1px solid #e3e9e6}
  dl div:last-child{border:0}
  dd{margin:0;font-weight:600}
  dd small{font-weight:400}
  .end{text-align:center;padding-top:1.5rem}
  .mark{display:inline-block;width:3.25rem;height:3.25rem;line-height:3.25rem;border-radius:50%;margin-bottom:.75rem;
  background:#0a6148;color:#fff;font-weight:700;font-size:1.7rem}
  .no{background:#b3261e}
  .hm{background:#8a6100}
  .safe{font-weight:600;color:#0a6148}
  .tick{display:inline-block;width:.42em;height:.8em;margin:0 .5em 0 .15em;border:solid;border-width:0 .16em .16em 0;
  transform:rotate(45deg) translate(-.08em,-.12em)}
  .mark .tick{margin:0}
  .turn{display:inline-block;width:1.1rem;height:1.1rem;margin-right:.5rem;vertical-align:-.2rem;border:.2rem solid #c3cfc9;
  border-top-color:#0a6148;border-radius:50%;animation:turn 1.2s linear infinite}
  @keyframes turn{to{transform:rotate(360deg)}}
  summary{cursor:pointer;padding:.75rem 0;font-weight:600}
  .card>summary{margin:-1.1rem 0}
  .card[open]>summary{margin-bottom:.25rem}
  .card>summary:focus{outline-offset:-3px}
  #wait .button{margin-bottom:0}
  .slot{margin:0}
  .top{padding:.5rem 1rem;margin-bottom:.6rem}
  .top .who{padding-bottom:.4rem;margin-bottom:.4rem}
  .top h1{margin:0}
  .top .sum,.top .text{margin:.25rem 0 0}
  .top summary{padding:.6rem 0 .5rem}
  #pay input,#pay select{min-height:2.75rem;margin:.2rem 0 .6rem}
  #pay label{display:inline-block}
  #pay details[open]{margin-bottom:.6rem}
  #pay summary{padding:.65rem 0;font-weight:400}
  #pay .line{display:flex;align-items:center;margin:0 0 .5rem}
  #pay .line select{flex:1;min-width:0;margin:0 0 0 .75rem}
  #pay .keep{display:flex;align-items:center;font-weight:400;min-height:2.75rem}
  #pay .keep[hidden]{display:none}
  #pay .keep input{flex:none;width:1.4rem;height:1.4rem;min-height:0;margin:0 .7rem 0 0;accent-color:#0a6148}
  #known{display:flex;margin:0}
  #known button{margin-bottom:.5rem}
  #forget{width:auto;flex:none}
  .slot .err{margin-bottom:.9rem}
  details.test{padding:.2rem .9rem;margin-bottom:.5rem}
  .test>summary{padding:0;font-weight:400;min-height:2.75rem}
  .test ul{margin-top:.5rem}
  .address a{display:block;padding:.7rem 0}
  footer{padding-bottom:2rem;font-size:.9rem}
  @media (scripting:enabled){
  #share[hidden],#print[hidden],#copy[hidden]{display:block!important}
  #pay .keep[hidden]{display:flex!important}
  }
  @media (prefers-reduced-motion:reduce){
  .turn{animation:none}
  }
  @media (prefers-color-scheme:dark){
  body{background:#101614;color:#e8eeeb}
  .card{background:#1a2320;border-color:#37443f}
  .who,dl div{border-color:#37443f}
  .letter{background:#254b3e;color:#d6f2e7}
  header b,a,.safe,.known{color:#6fd3b0}
  small,dt,.ref,.for{color:#afbdb6}
  input,select{background:#101614;border-color:#8a9a93}
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
  header a,footer,.button,.more,button{display:none!important}
  body,.card{background:#fff;color:#000}
  }
`)

// Only for the page that waits for a prompt, so that the form stays small. White on each network's colour has a contrast of at least 4.5.
const waitCss = joined(`
  .look{display:flex;align-items:center;justify-content:space-around;margin:0 0 .9rem;text-align:center;line-height:1.25}
  .pic{width:7.5rem;padding:.35rem .35rem .6rem;border:.22rem solid #33413b;border-top-width:.7rem;border-bottom-width:.7rem;border-radius:.9rem;
  background:#fff;color:#17211d;font-size:.85rem;animation:nudge 3s 3}
  .pic b,.pic i,.pic u{display:block;font-style:normal;text-decoration:none}
  .pic b{margin-bottom:.3rem;padding:.2rem;border-radius:.3rem;background:#0a6148;color:#fff}
  .pic u{margin:.3rem .8rem 0;border:1px solid #66756e;border-radius:.3rem;letter-spacing:.15em}
  .mpesa b{background:#b3161d}
  .airtel b{background:#a8002b}
  .mixx b{background:#1d3f8f}
  .halotel b{background:#a84400}
  .count{position:relative;width:6rem}
  .count svg,.count small{display:block;margin:0 auto}
  .count b{position:absolute;top:1.6rem;left:0;right:0;font-size:1.4rem}
  .count circle{fill:none;stroke-width:4;stroke:#d8e0dc}
  .count .left{stroke:#0a6148;transform:rotate(-90deg);transform-origin:50% 50%}
  #wait .sum{margin-bottom:.3rem}
  #wait li{margin-bottom:.25rem}
  @keyframes nudge{0%,20%,to{transform:none}5%,15%{transform:rotate(-3deg)}10%{transform:rotate(3deg)}}
  @media (prefers-reduced-motion:reduce){
  .pic{animation:none}
  }
  @media (prefers-color-scheme:dark){
  .pic{border-color:#8a9a93}
  .count circle{stroke:#37443f}
  .count .left{stroke:#6fd3b0}
  }
`)

// Only for a form with an open amount.
const amountCss = joined(`
  #quick{display:flex;margin:0}
  #quick button{min-height:2.75rem;margin:0 .4rem .6rem 0;padding:.3rem 0;font-size:.95rem}
  #quick button:last-child{margin-right:0}
  @media (scripting:enabled){
  #quick[hidden]{display:flex!important}
  }
`)

const receiptCss = joined(`
  .check{display:flex;flex-wrap:wrap;align-items:flex-start}
  .check div{flex:1}
  .check .address{flex:0 0 100%;margin-top:.75rem}
  .check img{flex:none;margin-right:1rem;border-radius:.3rem}
`)

// For browsers of 2012 and later: no arrow functions, no fetch. The form and the other screens have a script each, so that the form
// stays small.
const shared = `
    var d=document,w=window,
    get=function(id){return d.getElementById(id)},
    of=function(node,name){return node.getAttribute('data-'+name)},
    memory=function(where,value){
      try{
        var box=w[where+'Storage'];
        if(value)box.payer=value;
        if(value===0)box.removeItem('payer');
        return box.payer
      }catch(e){}
    },
    news=get('news');
    if(news)news.focus();
`

/** The plain shapes of an amount that the service reads (`amountTyped`). Any other text stays as it is, because the service may refuse it. */
const amountShape = String.raw`/^ *[1-9](\d*|\d{0,2}(,\d{3})+|\d{0,2}( \d{3})+) *$/`

// What a phone remembers at its payer's wish stays in its own storage. The form hands it on for the next screen only: that of the payment
// keeps it, a form that was refused ticks the box again, and every other screen forgets it.
const formJs = joined(`
  (function(){
${shared}
    var form=get('pay'),amount=get('amount');
    var button=get('send'),label=button.textContent,phone=get('phone_number'),net=get('network'),other=get('other'),
    free=net.options[0],none=free.text,
    ready=function(){button.disabled=false;guess();total()},
    total=function(){
      var sum=amount&&${amountShape}.test(amount.value)?amount.value.replace(/\\D/g,''):'';
      button.textContent=label+(sum&&' TSh '+sum.replace(/\\B(?=(...)+$)/g,','))
    },
    has=function(node,prefix){return prefix.length>1&&of(node,'p').indexOf(prefix)>=0},
    guess=function(){
      var prefix=phone.value.replace(/\\D/g,'').replace(/^(0{0,3}255|0)/,'').slice(0,2),i=net.options.length;
      free.text=none;
      while(--i)if(has(net.options[i],prefix))free.text=net.options[i].text+' – '+of(net,'from');
      other.hidden=!has(other,prefix)
    };
    var keep=get('keep'),known=get('known'),name=get('customer_name'),old=memory('local');
    keep.parentNode.hidden=false;
    if(news&&memory('session'))keep.checked=keep.parentNode.parentNode.open=true;
    memory('session',0);
    if(old&&!phone.value){
      old=JSON.parse(old);
      var use=get('use'),short='0'+old[0].replace(/\\D/g,'').replace(/^(0{0,3}255|0)/,'');
      use.textContent=of(use,'text')+' '+short.slice(0,4)+' ••• '+short.slice(-3);
      known.hidden=false;
      use.onclick=function(){
        phone.value=old[0];
        name.value=old[1];
        use.hidden=true;
        guess();
        button.focus()
      };
      get('forget').onclick=function(){
        memory('local',0);
        known.hidden=true;
        phone.focus()
      }
    }
    form.onsubmit=function(){
      if(button.disabled)return false;
      memory('session',keep.checked?JSON.stringify([phone.value,name.value]):0);
      button.disabled=true;
      button.textContent=of(button,'busy');
      setTimeout(ready,20000)
    };
    phone.oninput=guess;
    if(amount)amount.oninput=total;
    w.onpageshow=ready;
    ready()
  })()
`)

// For a form with an open amount or with errors: usual amounts, commas, and errors that go once their value is right.
const correctJs = joined(`
  (function(){
    var d=document,
    get=function(id){return d.getElementById(id)},
    of=function(node,name){return node.getAttribute('data-'+name)},
    news=get('news'),amount=get('amount'),quick=get('quick'),
    digits=function(node){return node.value.replace(/\\D/g,'')},
    grouped=function(){return ${amountShape}.test(amount.value)?digits(amount).replace(/\\B(?=(...)+$)/g,','):''},
    isRight=function(node){
      if(node===amount)return grouped()&&+digits(node)>=of(node,'least')&&+digits(node)<=of(node,'most');
      if(node.id==='phone_number')return /^(0{0,3}255|0)?[67]\\d{8}$/.test(digits(node))&&get('other').hidden;
      return node.checkValidity&&node.checkValidity()
    },
    remove=function(node){
      if(node)node.parentNode.removeChild(node)
    },
    clear=function(node){
      if(!node.getAttribute('aria-invalid')||!isRight(node))return;
      node.removeAttribute('aria-invalid');
      remove(get(node.id+'-error'));
      var links=news.getElementsByTagName('a'),i=links.length;
      while(--i>=0)if(links[i].hash==='#'+node.id)remove(links[i].parentNode);
      if(news.getElementsByTagName('li').length)return;
      d.title=d.title.replace(of(news,'mark'),'');
      if(news.getElementsByTagName('p').length){
        news.className='note';
        remove(news.getElementsByTagName('h2')[0]);
        remove(news.getElementsByTagName('ul')[0])
      }
      else remove(news)
    };
    get('pay').addEventListener('input',function(event){clear(event.target)});
    if(amount&&amount.type==='text')amount.onblur=function(){amount.value=grouped()||amount.value};
    if(quick){
      quick.hidden=false;
      quick.onclick=function(event){
        if(event.target===quick)return;
        amount.value=event.target.textContent;
        amount.oninput();
        clear(amount)
      }
    }
  })()
`)

// When the status differs from the one on the screen, the page reloads. It goes on asking, less often with time. A screen that does not know
// of a request on the phone reloads after `data-unsent` questions, too: a status shows it only where it can be sent again. Parts with `data-after` are shown after so many seconds.
const pageJs = joined(`
  (function(){
${shared}
    var n=navigator,card=get('wait'),again=get('again'),share=get('share'),copy=get('copy'),print=get('print'),leave=get('leave'),
    count=function(text,node,done){
      var end=+new Date()+of(node,'in')*1000,
      id=setInterval(function(){
        var left=Math.ceil((end-new Date())/1000);
        text.textContent=text.textContent.replace(/\\d+/,left);
        if(left>0)return;
        clearInterval(id);
        done()
      },1000);
      return id
    };
    if(card||share||get('sure'))memory('local',memory('session'));
    memory('session',0);
    if(share&&n.share){
      share.hidden=false;
      share.onclick=function(){n.share({text:of(share,'text'),url:of(copy,'url')}).then(null,function(){})}
    }
    else if(share)share.outerHTML='';
    if(copy&&n.clipboard){
      copy.hidden=false;
      copy.onclick=function(){n.clipboard.writeText(of(copy,'url')).then(function(){copy.textContent=of(copy,'done')})}
    }
    else if(copy)copy.outerHTML='';
    if(print){
      print.hidden=false;
      print.onclick=function(){w.print()}
    }
    if(again){
      var soon=get('soon');
      count(soon,again,function(){
        again.disabled=false;
        soon.hidden=true
      })
    }
    if(leave){
      var id=count(get('left'),leave,function(){location.replace(get('return').href)});
      d.addEventListener('click',function(){
        clearInterval(id);
        leave.hidden=true
      });
      get('stay').onclick=function(){return false}
    }
    if(get('ask'))setTimeout(function(){location.reload()},5000);
    if(card){
      var asked=of(card,'status')==='expired'?400:0,busy,timer,start=+new Date(),ring=get('count'),
      hide=function(id){
        if(get(id))get(id).hidden=true
      },
      later=function(id,reveal){
        var node=get(id);
        if(node&&node.hidden&&new Date()-start>=of(node,'after')*1000){
          node.hidden=false;
          reveal(node)
        }
      },
      poll=function(){
        later('gone',function(node){
          hide('steps');
          hide('ring');
          card.getElementsByTagName('h1')[0].textContent=of(node,'title');
          d.title=of(node,'title')+' – Malipo';
          if(get('resend')){
            get('then').hidden=true;
            get('here').appendChild(get('resend'))
          }
        });
        later('slow',function(node){
          var here=get('here');
          node.hidden=!!here&&here.getElementsByTagName('form').length>0
        });
        later('long',function(){
          get('slow').hidden=true;
          hide('here');
          hide('resend')
        });
        clearTimeout(timer);
        if(busy)return;
        busy=1;
        ++asked;
        var x=new XMLHttpRequest();
        x.open('GET',of(card,'url'));
        x.timeout=15000;
        x.onreadystatechange=function(){
          if(x.readyState!==4)return;
          busy=0;
          get('offline').hidden=x.status>0;
          timer=setTimeout(poll,asked<60?3000:asked<400?10000:60000);
          if(x.status!==200)return;
          var now=JSON.parse(x.responseText).data,unsent=of(card,'unsent');
          if(now.status!==of(card,'status')||unsent&&(now.resend_at||asked>=unsent))
          location.replace(location.pathname+location.search)
        };
        x.send()
      },
      back=function(){if(!d.hidden)poll()};
      if(ring)count(get('secs'),ring,function(){});
      timer=setTimeout(poll,3000);
      d.addEventListener('visibilitychange',back);
      w.addEventListener('online',back)
    }
  })()
`)

export const style = constantElement('style', css)
/** The script of the form, the one of every other screen, and one that corrects a form. */
export const scripts = {
  form: constantElement('script', formJs),
  page: constantElement('script', pageJs),
  correct: constantElement('script', correctJs),
}

/** What only some screens have. The policy of other screens does not name it, because its hashes would make each of them larger. */
const extras = {
  wait: { css: waitCss },
  amount: { css: amountCss, js: correctJs },
  errors: { js: correctJs },
  receipt: { css: receiptCss },
}
export type Extra = keyof typeof extras

export const extraStyles = {
  wait: constantElement('style', waitCss),
  amount: constantElement('style', amountCss),
  receipt: constantElement('style', receiptCss),
}

function hashOf(source: string): string {
  return `'sha256-${createHash('sha256').update(source).digest('base64')}'`
}

/**
 * The policy for these pages: their own style and script, status requests to our API, forms to this host, a logo from this host.
 * `brandCss`: the rules of a merchant's colour on this page.
 */
export function contentSecurityPolicy(apiUrl: string, { brandCss, extra }: { brandCss?: string; extra?: Extra } = {}): string {
  const more: { css?: string; js?: string } = extra === undefined ? {} : extras[extra]
  const hashes = (...sources: (string | undefined)[]): string =>
    sources.flatMap((source) => (source === undefined ? [] : [hashOf(source)])).join(' ')
  return [
    "default-src 'none'",
    `style-src ${hashes(css, more.css, brandCss)}`,
    `script-src ${hashes(formJs, pageJs, more.js)}`,
    `connect-src ${new URL(apiUrl).origin}`,
    "img-src 'self' data:",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}
