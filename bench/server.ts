/** A process of the product under test: the real api, with a provider that accepts every charge at once, or the real worker. */
import type { Dependencies } from '../server/start/dependencies.ts'
import type { ChargeOutcome, Provider } from '../server/money/providers/provider.ts'
import type * as idsFile from '../server/platform/ids.ts'
import type * as providerFile from '../server/money/providers/provider.ts'
import type * as startRoleFile from '../server/start/start-role.ts'
import { serveParent } from './child.ts'
import { findPart } from './find-part.ts'

const fromWire = await findPart<typeof idsFile.fromWire>('fromWire')
const wrapProviders = await findPart<typeof providerFile.wrapProviders>('wrapProviders')
const startRole = await findPart<typeof startRoleFile.startRole>('startRole')

/** Everything of the real provider except the network call. */
function atOnce(provider: Provider): Provider {
  return {
    ...provider,
    async charge({ idempotencyKey }): Promise<ChargeOutcome> {
      const reference = `SN${fromWire('pay', `pay_${idempotencyKey.slice(2)}`)!.replaceAll('-', '')}`
      const silent = {
        ourReference: null,
        amount: null,
        currency: null,
        fee: null,
        network: null,
        failure: null,
        expiresAt: null,
      }
      return { kind: 'accepted', snapshot: { reference, status: 'pending', ...silent } }
    },
  }
}

await startRole(process.argv[2] as 'api' | 'worker', (deps: Dependencies) => ({
  ...deps,
  providers: wrapProviders(deps.providers, atOnce),
}))
serveParent()
