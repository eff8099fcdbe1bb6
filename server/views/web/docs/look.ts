/** The style sheet of the documentation: light and dark by the reader's setting, from a small phone to a wide screen. */
import { publicFile } from '../../../platform/http/public-file.ts'
import { codeStyle } from './highlight.ts'

const box =
  'min-height:2.75rem;padding:.4rem .75rem;border:1px solid var(--soft);border-radius:.5rem;background:var(--ground);color:inherit;font:inherit;'

/** Colours, links and the head, also of the API reference. Every text has a contrast of at least 4.5 with its background in both. */
export const headStyle = `
:root{color-scheme:light;--ground:#fff;--second:#f3f6f4;--text:#17211d;--soft:#4b5a54;--line:#d5dedA;--brand:#0a6148;--mark:#fff0b8;--focus:#1a5fd0;--word:#7a2a8f;--name:#0b4fa8;--value:#8a4200}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--ground);color:var(--text);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:break-word}
a{color:var(--brand)}
:focus-visible{outline:3px solid var(--focus);outline-offset:2px}
.skip{position:absolute;left:-99rem;top:0;padding:.75rem 1rem;background:var(--ground)}
.skip:focus{left:0;z-index:1}
header{position:relative;display:flex;gap:.5rem;align-items:center;height:3.5rem;padding:0 1rem;border-bottom:1px solid var(--line);white-space:nowrap}
header>a,.ways a{padding:.6rem 0;min-width:2.75rem;text-decoration:none;text-align:center}
header a:hover{text-decoration:underline}
.brand{font-weight:700;font-size:1.1rem}
.ways,.brand span,header form button{display:none}
.tongue span{position:absolute;clip-path:inset(50%)}
header form{display:flex;gap:.5rem;flex:1 1 0;min-width:0}
header input,header button{${box}}
header input{flex:1;min-width:0;width:100%}
header button{background:var(--second);cursor:pointer}
.alone{height:auto;flex-wrap:wrap}
.alone .ways{display:flex;flex-wrap:wrap;gap:0 1.25rem;order:1}
#found{position:absolute;z-index:2;top:100%;left:0;right:0;max-height:calc(100vh - 4rem);margin:0;padding:.25rem;overflow-y:auto;list-style:none;white-space:normal;background:var(--ground);border:1px solid var(--soft);border-radius:.5rem}
#found li{margin:0;padding:.6rem .75rem;border-radius:.4rem;cursor:pointer;color:var(--brand);font-weight:600}
#found li[aria-selected=true],#found li:hover{background:var(--second)}
#found span{color:var(--soft);font-weight:400}
#found li>span{display:block;font-size:.9rem;line-height:1.45}
mark{background:var(--mark);color:inherit}
@media (min-width:56rem){
header{gap:.25rem 1.25rem}
.ways{display:flex;gap:0 1.25rem}
.brand span,header form button{display:inline}
.tongue span{position:static;clip-path:none}
.tongue b{display:none}
header form{position:relative;max-width:28rem;margin-left:auto}
#found{left:auto;width:max(100%,34rem)}
}
`

const style = `${headStyle}@media (prefers-color-scheme:dark){
:root{color-scheme:dark;--ground:#101614;--second:#1a2320;--text:#e8eeeb;--soft:#afbdb6;--line:#37443f;--brand:#6fd3b0;--mark:#4a3d0a;--focus:#8ab4f8;--word:#d9a5ee;--name:#93bdf7;--value:#f0b76b}
}
button{${box}background:var(--second);cursor:pointer}
.frame{max-width:82rem;margin:0 auto}
main{padding:1rem;min-width:0;max-width:52rem}
nav ul{list-style:none;margin:0;padding:0}
nav a{display:block;padding:.6rem .75rem;border-radius:.4rem;text-decoration:none;color:inherit}
nav a:hover{background:var(--second);text-decoration:underline}
nav a[aria-current]{background:var(--second);color:var(--brand);font-weight:700}
nav h2{font-size:.85rem;margin:1.1rem .75rem .25rem;color:var(--soft);font-weight:600}
.menu{padding:.5rem;display:none}
.home>ul:first-of-type{list-style:none;padding:0;display:grid;gap:.75rem;grid-template-columns:repeat(auto-fill,minmax(14rem,1fr))}
.home>ul:first-of-type li{position:relative;margin:0;padding:.9rem 1rem;border:1px solid var(--line);border-radius:.75rem;background:var(--second);color:var(--soft)}
.home>ul:first-of-type li:hover{border-color:var(--brand)}
.home>ul:first-of-type strong{display:block;font-size:1.05rem}
.home>ul:first-of-type strong a{text-decoration:none}
.home>ul:first-of-type strong a::after{content:"";position:absolute;inset:0}
.menu:target{display:block;border-bottom:1px solid var(--line)}
.parts{border-top:1px solid var(--line);padding:.5rem 1rem}
.parts .deep{padding-left:1.5rem}
h1,h2,h3{line-height:1.25;text-wrap:balance}
h1{font-size:1.8rem;margin:.5rem 0 1rem}
h2{font-size:1.3rem;margin:2.2rem 0 .75rem}
h3{font-size:1.05rem;margin:1.6rem 0 .5rem}
p,ul,ol,.wide{margin:0 0 1rem}
li{margin-bottom:.35rem}
.wide{overflow-x:auto}
code{font:.9em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;background:var(--second);border-radius:.25rem;padding:.1em .3em;overflow-wrap:anywhere}
pre{margin:0;padding:.9rem 1rem;background:var(--second);border:1px solid var(--line);border-radius:.5rem;min-width:max-content}
pre code{padding:0;background:none;overflow-wrap:normal}
.code{display:grid;grid-template-columns:1fr auto;align-items:center;margin:0 0 1rem;background:var(--second);border:1px solid var(--line);border-radius:.5rem}
.code::before{content:attr(data-label);grid-area:1/1;padding:.35rem 1rem;color:var(--soft);font-size:.85rem}
.code .wide{grid-area:2/1/3/3;min-width:0;margin:0;border-top:1px solid var(--line)}
.code pre{border:0;background:none}
.copy{grid-area:1/2;min-width:4.5rem;border:0;background:none;color:var(--brand);font-size:.9rem;font-weight:600}
.filled{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;padding:.5rem 1rem;background:var(--mark);border-radius:.5rem;margin:0 0 1rem}
.filled input{${box}flex:1 1 12rem;min-width:0;border-color:var(--soft)}
.unseen{position:absolute;width:1px;height:1px;margin:0;overflow:hidden;clip-path:inset(50%)}
pre i{font-style:normal}
${codeStyle}
table{border-collapse:collapse;width:100%;min-width:20rem}
th,td{text-align:left;vertical-align:top;padding:.5rem .75rem .5rem 0;border-bottom:1px solid var(--line)}
td code{overflow-wrap:normal;white-space:nowrap}
td:last-child code{white-space:normal;overflow-wrap:anywhere}
.right{text-align:right}
tr:target,h2:target,h3:target{background:var(--mark)}
.note{padding:.6rem .9rem;background:var(--second);border-radius:.5rem;color:var(--soft)}
svg{display:block;max-width:none;height:auto;color:var(--text)}
svg .paper{fill:var(--ground)}
svg .box{fill:var(--second);stroke:var(--soft)}
svg .soft{fill:var(--soft)}
svg .line{stroke:var(--soft)}
svg .good{stroke:var(--brand)}
.hits{list-style:none;padding:0}
.hits a{display:inline-block;padding:.35rem 0;font-weight:600}
.hits p{color:var(--soft)}
.turn{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 1.5rem;margin-top:2.5rem;border-top:1px solid var(--line);padding-top:.75rem}
.turn a{padding:.65rem 0;color:var(--brand)}
footer{padding:1rem;color:var(--soft);font-size:.9rem}
footer a{display:inline-block;padding:.7rem 0}
@media (min-width:56rem){
.out{display:none}
nav a{padding:.3rem .75rem}
.frame{display:grid;grid-template-columns:15rem minmax(0,1fr)}
.menu{display:block;padding:.75rem .5rem;border-right:1px solid var(--line)}
.menu:target{border-bottom:0}
.to-menu{display:none}
main{padding:1.25rem 2.5rem}
.parts{display:none}
}
@media (min-width:76rem){
.frame.with-parts{grid-template-columns:15rem minmax(0,1fr) 14rem}
.parts{display:block;border:0;padding:1.25rem .5rem;font-size:.9rem}
.parts>div{position:sticky;top:1rem}
}
@media print{
header,.menu,.parts,.turn,.copy,.filled,footer{display:none}
.frame{display:block}
.wide{overflow:visible}
pre{white-space:pre-wrap;min-width:0}
}
`

export const styleFile = publicFile('text/css; charset=utf-8', style)

/** Changes with the style, so that a browser may cache it permanently. */
export const styleAddress = `/docs/style.css?v=${styleFile.hash}`

/** The policy for a documentation page: our style and script, and a search on this host. */
export const policy = [
  `default-src 'none'`,
  `style-src 'self'`,
  `script-src 'self'`,
  `img-src data:`,
  `connect-src 'self'`,
  `form-action 'self'`,
  `base-uri 'none'`,
  `frame-ancestors 'none'`,
].join('; ')
