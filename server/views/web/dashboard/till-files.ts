/**
 * What makes the till an app on a device: its manifest, its icons, and a worker that answers without connection with a page that says
 * so. Invariant: nothing about money is stored on the device, so that nothing old can be shown as new.
 */
import { createHash } from 'node:crypto'
import sharp from 'sharp'

export const tillManifest = {
  name: 'Malipo Kaunta',
  short_name: 'Malipo',
  lang: 'sw',
  id: '/dashboard/till',
  start_url: '/dashboard/till',
  scope: '/dashboard/',
  display: 'fullscreen',
  display_override: ['fullscreen', 'standalone'],
  background_color: '#0a6148',
  theme_color: '#0a6148',
  icons: [192, 512].flatMap((side) =>
    ['any', 'maskable'].map((purpose) => ({
      src: `/dashboard/till-icon-${side}.png`,
      sizes: `${side}x${side}`,
      type: 'image/png',
      purpose,
    })),
  ),
}

/** The letter lies within the circle that every device shows. */
const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" fill="#0a6148"/><path d="M20 43V23l12 12 12-12v20" fill="none" stroke="#fff" stroke-width="5" stroke-linecap="round" stroke-linejoin="round"/></svg>`

export function tillIcon(side: number): Promise<Buffer> {
  return sharp(Buffer.from(drawing), { density: (72 * side) / 64 })
    .resize(side, side)
    .png()
    .toBuffer()
}

/** It keeps one page, and only answers when the network does not; and it opens what a notification is about. */
export const tillWorker = `const page = '/dashboard/till-offline'
addEventListener('install', (event) => {
  event.waitUntil(caches.open('till').then((cache) => cache.add(new Request(page, { cache: 'reload' }))).then(() => skipWaiting()))
})
addEventListener('activate', (event) => event.waitUntil(clients.claim()))
addEventListener('fetch', (event) => {
  if (event.request.mode !== 'navigate' || !new URL(event.request.url).pathname.endsWith('/till')) return
  event.respondWith(fetch(event.request).catch(() => caches.match(page)))
})
addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(clients.matchAll({ type: 'window' }).then(([tab]) =>
    tab ? tab.focus().then(() => tab.navigate(event.notification.data)) : clients.openWindow(event.notification.data)))
})
`

const style = `:root{color-scheme:light dark}body{margin:0;min-height:100vh;display:grid;place-content:center;padding:1.5rem;font:1.125rem/1.5 system-ui,sans-serif;text-align:center;color:#17211d;background:#f7f9f8}h1{font-size:1.5rem;line-height:1.3}a{color:#0a6148}@media(prefers-color-scheme:dark){body{color:#e6ebe8;background:#0d1210}a{color:#78c2a3}}`
/** Starts the till as soon as there is a network. */
const script = `addEventListener('online',function(){location.reload()});setInterval(function(){fetch('/dashboard/till-offline',{cache:'no-store'}).then(function(){location.reload()},function(){})},5000)`

const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

export const offlinePolicy = `default-src 'none'; img-src data:; style-src ${hash(style)}; script-src ${hash(script)}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

export const offlinePage = `<!doctype html>
<html lang="sw"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Hakuna mtandao – Malipo</title><link rel="icon" href="data:,"><style>${style}</style></head>
<body><main><h1>Hakuna mtandao</h1><p>Kaunta haionyeshi pesa hadi mtandao urudi. Itaanza yenyewe.</p><p lang="en">No connection. The till shows no amounts until the network is back. It starts by itself.</p><p><a href="">Jaribu tena / Try again</a></p></main><script>${script}</script></body></html>
`
