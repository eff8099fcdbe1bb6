/**
 * `npm run malipo -- …`: runs the command line from its sources, with the sources of the SDK. The published packages are built
 * JavaScript; here their imports of each other are redirected to the source files.
 */
import { registerHooks } from 'node:module'

const sdk = new URL('../sdk/src/', import.meta.url).href
const sources: Record<string, string> = { '@malipo/sdk': `${sdk}malipo.ts`, '@malipo/sdk/testing': `${sdk}testing.ts` }

registerHooks({
  resolve(specifier, { parentURL, ...context }, next) {
    const source = sources[specifier]
    if (source !== undefined) return next(source, { parentURL, ...context })
    const isOfSdk = parentURL?.startsWith(sdk) && specifier.endsWith('.js')
    return next(isOfSdk ? specifier.replace(/js$/, 'ts') : specifier, { parentURL, ...context })
  },
})

await import(new URL('../cli/src/main.ts', import.meta.url).href)
