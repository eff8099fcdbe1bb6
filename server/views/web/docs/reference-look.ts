/**
 * The style sheet that gives Swagger UI the head, the colours and the spacing of the documentation. Light only: the dark mode of
 * Swagger UI has texts of too little contrast.
 */
import { headStyle } from './look.ts'

/** Behind the white name of a method; each has a contrast of at least 4.5 with it. */
const methodColours = { get: '#0b4fa8', post: '#0a6148', put: '#8a4200', patch: '#7a2a8f', delete: '#a4161a' }

const methods = Object.entries(methodColours).map(
  ([method, colour]) => `.swagger-ui .opblock.opblock-${method}{border-color:var(--line);background:var(--ground)}
.swagger-ui .opblock.opblock-${method} .opblock-summary{border-color:var(--line)}
.swagger-ui .opblock.opblock-${method} .opblock-summary-method{background:${colour}}
.swagger-ui .opblock.opblock-${method} .tab-header .tab-item.active h4 span::after{background:var(--brand)}`,
)

/** Two classes, or an element more, wins over the sheet of Swagger UI. */
export const referenceStyle = `${headStyle}
#reference{display:block;max-width:82rem;margin:0 auto}
html .swagger-ui,html .swagger-ui :is(.info,.opblock-tag,.opblock-description-wrapper,.parameter__name,.response-col_status,table) :is(p,li,h1,h2,td){color:var(--text)}
html .swagger-ui .wrapper{max-width:none;padding:0 1rem}
html .swagger-ui .info{margin:1.5rem 0 1rem}
html .swagger-ui .info .title{font-size:1.8rem;color:var(--text)}
html .swagger-ui :is(.info,.renderedMarkdown) a,html .swagger-ui a.nostyle:hover{color:var(--brand)}
html .swagger-ui .info a{text-decoration:underline}
html .swagger-ui .info .title small{background:var(--soft)}
html .swagger-ui .info .title small.version-stamp{background:var(--brand)}
html .swagger-ui .info .title small pre{color:var(--ground)}
html .swagger-ui :is(.markdown,.renderedMarkdown) code{padding:.1em .3em;background:var(--second);color:var(--text);font-weight:400}
html .swagger-ui .scheme-container{margin:0 0 1rem;padding:.5rem 0;background:none;box-shadow:none}
html .swagger-ui .btn.authorize,html .swagger-ui .btn.execute{border-color:var(--brand);background:var(--brand);color:var(--ground)}
html .swagger-ui .btn.authorize span{color:inherit}
html .swagger-ui .btn.authorize svg{fill:var(--ground)}
html .swagger-ui .filter-container{margin:0}
html .swagger-ui .filter .operation-filter-input{min-height:2.75rem;margin:.5rem 0 1rem;border:1px solid var(--soft);border-radius:.5rem;background:var(--ground);color:var(--text)}
html .swagger-ui .opblock-tag{font-size:1.3rem;border-color:var(--line)}
html .swagger-ui .opblock-tag small{font-size:.95rem;color:var(--soft)}
html .swagger-ui .opblock{margin:0 0 .5rem;border-radius:.5rem;box-shadow:none}
html .swagger-ui .opblock .opblock-summary-method{min-width:4.5rem;padding:.4rem 0;font-weight:600;text-shadow:none;color:#fff}
html .swagger-ui .opblock .opblock-summary-path,html .swagger-ui .opblock .opblock-summary-description{color:var(--text)}
html .swagger-ui .opblock .opblock-section-header{background:var(--second);box-shadow:none}
html .swagger-ui .response-control-media-type__accept-message{color:var(--soft)}
html .swagger-ui .response-control-media-type--accept-controller select{border-color:var(--soft)}
html .swagger-ui :is(.response-col_links,.col_header.response-col_links){display:none}
html .swagger-ui :is(.parameter__type,.parameter__in,.prop-format,.parameter__deprecated,.response-undocumented){color:var(--soft)}
html .swagger-ui .parameter__name.required::after,html .swagger-ui .parameter__name.required span{color:#a4161a}
html .swagger-ui :is(.microlight,.highlight-code>.microlight){background:var(--second);color:var(--text);border:1px solid var(--line)}
html .swagger-ui :focus-visible{outline:3px solid var(--focus);outline-offset:2px}
${methods.join('\n')}
@media (max-width:40rem){
html .swagger-ui :is(.opblock-summary-path,.opblock-summary-path-description-wrapper){max-width:none}
html .swagger-ui .opblock-tag{flex-wrap:wrap}
html .swagger-ui .opblock-tag small{flex:1 1 12rem;padding:.25rem 0}
html .swagger-ui .wrapper{padding:0 .5rem}
}
`
