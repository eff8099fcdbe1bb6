/**
 * `npm run malipo -- …`: the command line from its sources, on the sources of the SDK. Published, both are built JavaScript; here what
 * they call each other is led to the files as they stand.
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
