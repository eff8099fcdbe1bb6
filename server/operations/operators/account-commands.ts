/** `malipo-ops admin create | kyc …`: the accounts of operators, and an operator's decision about a person. */
import type { Decision } from '../../domain/verification.ts'
import type { Config } from '../../config/config.ts'
import { createAdmin } from '../../accounts/identity/create-admin.ts'
import { createPasswords } from '../../accounts/identity/password.ts'
import { setKycStatus } from '../../merchants/onboarding/decide-by-operator.ts'
import { createSealer } from '../../platform/crypto/secrets.ts'
import type { Db } from '../../platform/db/db.ts'
import { command, UsageError, type Commands } from '../../platform/process/commands.ts'

type Deps = {
  open(): Promise<{ config: Config; db: Db }>
  print(line: string): void
}

async function makeAdmin({ open, print }: Deps, person: { email: string; fullName: string }): Promise<void> {
  const { config, db } = await open()
  const deps = { db, config, sealer: createSealer(config.keys.envelope), passwords: createPasswords(config.passwords) }
  const { user, password, secret, otpauthUrl, recoveryCodes, wasPromoted } = await createAdmin(deps, person)
  print(`${user.fullName} is an operator now. All of this is shown once and cannot be read again: hand it over in person.

  Sign-in         ${user.email}
  Password        ${password ?? 'the one that the account had'}
  Secret          ${secret}
  otpauth URL     ${otpauthUrl}
  Recovery codes  ${recoveryCodes.join('\n                  ')}

Put the secret, or the otpauth URL as a QR code, into an authenticator app; keep the recovery codes on paper, each lets in once
without the app. Then sign in with POST /v1/auth/login and complete it with a code of the app at POST /v1/auth/2fa/verify.`)
  // Anyone can register with another person's address, and would then know the password of an operator.
  if (wasPromoted && !user.isEmailVerified) {
    print(
      '\nThe e-mail address of this account was never verified: have its owner reset the password (POST /v1/auth/password/forgot).',
    )
  }
}

async function setKyc({ open, print }: Deps, email: string, status: Decision): Promise<void> {
  const { config, db } = await open()
  await setKycStatus({ db, sealer: createSealer(config.keys.envelope) }, email, status)
  print(`${email} is ${status}.`)
}

export const accountCommands: Commands<Deps> = {
  'admin create': command({
    flags: '--email <email> [--name <full name>]',
    options: { email: { type: 'string' }, name: { type: 'string' } },
    summary: 'Create an operator, or make the account with this e-mail address an operator.',
    run: async (deps: Deps, _words, { email, name = 'Operator' }) => {
      if (email === undefined) throw new UsageError()
      await makeAdmin(deps, { email, fullName: name })
    },
  }),
  'kyc verify': command({
    takes: ['email'],
    summary: 'Mark the identity of a person as verified: allows pages, payouts and live keys.',
    run: (deps: Deps, [email]) => setKyc(deps, email, 'verified'),
  }),
  'kyc reject': command({
    takes: ['email'],
    summary: 'Mark the identity of a person as rejected.',
    run: (deps: Deps, [email]) => setKyc(deps, email, 'rejected'),
  }),
}
