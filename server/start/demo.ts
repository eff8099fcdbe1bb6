/** The local demo: a verified student with a payment page and keys, and an operator. Made once for a data folder and written to `demo.json` in it. */
import { randomBytes } from 'node:crypto'
import { rename, writeFile } from 'node:fs/promises'
import { insertNewApp } from '../accounts/developers/create-app.ts'
import { insertNewKey } from '../accounts/developers/create-key.ts'
import { scopes } from '../domain/scope.ts'
import { bySystem } from '../base/audit/audit.ts'
import type { Environment } from '../domain/environment.ts'
import type { Dependencies } from './dependencies.ts'
import { createAdmin } from '../accounts/identity/create-admin.ts'
import { merchantOfUser } from '../accounts/identity/merchant.sql.ts'
import { createPasswords } from '../accounts/identity/password.ts'
import { registerUser } from '../accounts/identity/register-user.ts'
import { findUserByEmail } from '../accounts/identity/user.sql.ts'
import { setKycStatus } from '../merchants/onboarding/decide-by-operator.ts'
import { createSandbox } from '../collect/pages/create-sandbox.ts'
import { createPage } from '../collect/pages/save-page.ts'
import { assert, must } from '../platform/refusal.ts'
import { demoFile, readDemo, type Demo } from '../views/web/local/kept-demo.ts'

const student = {
  fullName: 'Asha Mwakyusa',
  email: 'asha@demo.malipo.invalid',
  phoneNumber: '+255754000001',
  password: 'karibu-malipo-2026',
  studentId: 'UDSM-2026-0001',
  institution: 'University of Dar es Salaam',
  registersAs: 'student' as const,
}

const operatorEmail = 'operator@demo.malipo.invalid'

async function makeDemo(deps: Dependencies): Promise<Pick<Demo, 'student' | 'test_key' | 'live_key' | 'page_slug'>> {
  const known = await findUserByEmail(deps.db, student.email)
  const registered = known
    ? { user: known, sandbox: undefined }
    : await registerUser({ ...deps, passwords: createPasswords(), createSandbox: createSandbox.bind(null, deps) }, student)
  const { user, sandbox } = registered
  await setKycStatus(deps, student.email, 'verified')
  const merchant = must(await merchantOfUser(deps.db, user.id), 'a registered user has a merchant')
  const keyOf = async (environment: Environment): Promise<string> => {
    const named = { name: `Demo shop (${environment})`, description: null, environment }
    const wanted = { keyName: 'demo', scopes: [...scopes], expiresAt: null, allowedIps: [] }
    const maker = { userId: user.id, hasSecondFactor: true, accountWaitSeconds: 0, origin: bySystem }
    return deps.db.tx(async (tx) => {
      const app = await insertNewApp(tx, user.id, { ...named, merchantId: merchant.id }, bySystem)
      return (await insertNewKey(deps, tx, app, wanted, maker)).value
    })
  }
  const page = await createPage(
    deps,
    { merchant, environment: 'test' },
    {
      type: 'payment',
      title: 'Mandazi na chai',
      description: 'Kifungua kinywa cha leo: mandazi mawili na chai ya tangawizi.',
      amount: 2500,
    },
    { person: null },
  )
  return {
    student: { email: student.email, password: student.password },
    test_key: sandbox?.key ?? (await keyOf('test')),
    live_key: await keyOf('live'),
    page_slug: page.slug,
  }
}

/** Makes an operator with a second factor. Its credentials cannot be read back: after the loss of `demo.json` another operator is made. */
async function makeOperator(deps: Dependencies): Promise<Demo['admin']> {
  const isTaken = await findUserByEmail(deps.db, operatorEmail)
  const email = isTaken ? operatorEmail.replace('@', `-${randomBytes(3).toString('hex')}@`) : operatorEmail
  const made = await createAdmin({ ...deps, passwords: createPasswords() }, { email, fullName: 'Rehema Mushi' })
  assert(made.password !== null, 'a new operator gets a password')
  return { email, password: made.password, totp_secret: made.secret, recovery_codes: made.recoveryCodes }
}

/** The demo of this data folder with the current addresses. Keys cannot be read back, so without `demo.json` new ones are made. */
export async function prepareDemo(deps: Dependencies, simulatorUrl: string): Promise<Demo> {
  const { urls } = deps.config
  const file = demoFile(deps.config)
  const kept = await readDemo(deps.config)
  const [isKept, isPageKept, operator] = await Promise.all([
    kept && findUserByEmail(deps.db, kept.student.email),
    kept && deps.readPage(kept.page_slug),
    kept?.admin && findUserByEmail(deps.db, kept.admin.email),
  ])
  const made = kept && isKept && isPageKept ? kept : await makeDemo(deps)
  const demo: Demo = {
    base_url: urls.api,
    checkout_base_url: urls.checkout,
    storage_url: urls.storage,
    simulator_url: simulatorUrl,
    student: made.student,
    admin: kept?.admin && operator ? kept.admin : await makeOperator(deps),
    test_key: made.test_key,
    live_key: made.live_key,
    page_slug: made.page_slug,
  }
  await writeFile(`${file}.next`, JSON.stringify(demo, null, 2), { mode: 0o600 })
  await rename(`${file}.next`, file)
  return demo
}
