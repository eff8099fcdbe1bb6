/** The profile: the account of a key or a person, and what that account may do in this environment. */
import { z } from 'zod'
import { currencySchema } from '../../domain/currency.ts'
import { merchantKindSchema } from '../../domain/merchant.ts'
import { verificationStatusSchema } from '../../domain/verification.ts'
import { environmentSchema } from '../../domain/environment.ts'
import { memberRoleSchema } from '../../domain/member.ts'
import type { KeyCaller } from '../../accounts/developers/authenticate-key.ts'
import { scopes } from '../../domain/scope.ts'
import { findBusiness } from '../../merchants/onboarding/business.sql.ts'
import { businessSchema } from '../../merchants/onboarding/business.ts'
import type { Config } from '../../config/config.ts'
import { requireGoodStanding, suspensionSchema, suspensionToJson, type Owner } from '../../accounts/identity/merchant.ts'
import { findUser } from '../../accounts/identity/user.sql.ts'
import { allPermissions } from '../../accounts/members/permissions.ts'
import type { Runner } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { must, Refusal } from '../../platform/refusal.ts'

export type ProfileDeps = { db: Runner; config: Pick<Config, 'testWritesBeforeVerification'> }

export const capabilitiesSchema = z.object({ live_keys: z.boolean(), page_writes: z.boolean(), payouts: z.boolean() })

export const profileSchema = z
  .object({
    id: z.string().meta({ description: 'The business, or the person.', example: 'biz_01jz8e6c9kf0x9v4m2n7q5t3ab' }),
    type: merchantKindSchema,
    display_name: z.string().meta({ description: 'The name that payers see.' }),
    legal_name: z.string().nullable().meta({ description: 'This field and the next two are null for a person.' }),
    trading_name: z.string().nullable(),
    business_type: businessSchema.shape.business_type.nullable(),
    status: verificationStatusSchema.meta({ description: 'Verification status. A business is never `unsubmitted`.' }),
    kyc_status: verificationStatusSchema.meta({
      description: 'Verification status of the person, or of the representative of the business.',
    }),
    country: z.literal('TZ').meta({ description: 'Country of the account.' }),
    currency: currencySchema,
    email: z.string(),
    phone_number: z
      .string()
      .nullable()
      .meta({ description: 'E.164. Null only for an operator of the service.', example: '+255712345678' }),
    environment: environmentSchema,
    app: z
      .object({ id: z.string(), name: z.string() })
      .nullable()
      .meta({ description: 'The app of the API key. Null without a key.' }),
    key: z
      .object({
        id: z.string(),
        key_name: z.string(),
        scopes: z.array(z.enum(scopes)),
        expires_at: z.iso.datetime().nullable(),
      })
      .nullable()
      .meta({ description: 'The API key of this request. Null without a key.' }),
    role: memberRoleSchema.nullable().meta({
      description: 'Your role in the business; `owner` in your own account. Null for an API key.',
    }),
    permissions: z.array(z.enum(allPermissions)).meta({
      description: 'What your role, or the scopes of the API key, allow in this environment. See the guide about members.',
    }),
    capabilities: capabilitiesSchema.meta({
      description: 'What the account may do in this environment. An API key also needs the scope.',
    }),
    suspension: suspensionSchema,
  })
  .meta({ id: 'Profile' })

type Profile = z.infer<typeof profileSchema>

type Facts = Pick<Profile, 'id' | 'legal_name' | 'trading_name' | 'business_type' | 'kyc_status' | 'email' | 'phone_number'>

async function factsOfBusiness(db: Runner, { merchant }: Owner): Promise<Facts> {
  const business = must(await findBusiness(db, merchant.id), 'a business merchant has a record')
  return {
    id: toWire('biz', merchant.id),
    legal_name: business.legalName,
    trading_name: business.tradingName,
    business_type: business.businessType,
    kyc_status: business.representativeKycStatus,
    email: business.email,
    phone_number: business.phone,
  }
}

async function factsOfPerson(db: Runner, { merchant }: Owner): Promise<Facts> {
  const user = must(await findUser(db, merchant.userId), 'a personal merchant is a user')
  return {
    id: toWire('usr', merchant.id),
    legal_name: null,
    trading_name: null,
    business_type: null,
    kyc_status: merchant.verificationStatus,
    email: user.email,
    phone_number: user.phoneNumber,
  }
}

/** Uses the same rule as writes, so that the answer is the result of a write. */
function isAllowed(owner: Owner, rules: ProfileDeps['config']): boolean {
  try {
    requireGoodStanding(owner, rules)
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

export function capabilitiesOf({ merchant, environment }: Owner, rules: ProfileDeps['config']): Profile['capabilities'] {
  const mayWrite = isAllowed({ merchant, environment }, rules)
  return { live_keys: isAllowed({ merchant, environment: 'live' }, rules), page_writes: mayWrite, payouts: mayWrite }
}

/** The profile of `owner`; `caller` is the calling key, if a key calls, and `reach` what it or the person may do. */
export async function readProfile(
  deps: ProfileDeps,
  owner: Owner,
  caller: KeyCaller | undefined,
  reach: Pick<Profile, 'role' | 'permissions'>,
): Promise<Profile> {
  const { merchant, environment } = owner
  const facts = await (merchant.kind === 'business' ? factsOfBusiness(deps.db, owner) : factsOfPerson(deps.db, owner))
  return {
    ...facts,
    type: merchant.kind,
    display_name: merchant.displayName,
    status: merchant.verificationStatus,
    country: 'TZ',
    currency: 'TZS',
    environment,
    app: caller ? { id: toWire('app', caller.appId), name: caller.appName } : null,
    key: caller
      ? {
          id: toWire('key', caller.keyId),
          key_name: caller.keyName,
          scopes: caller.scopes,
          expires_at: caller.expiresAt?.toISOString() ?? null,
        }
      : null,
    ...reach,
    capabilities: capabilitiesOf(owner, deps.config),
    suspension: suspensionToJson(merchant),
  }
}
