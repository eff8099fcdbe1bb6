/** Who is behind a wallet: a person shows who they are, or a business does. Live money opens when it is verified. */
import { useAccount } from '../account.ts'
import { BusinessVerification } from './business-verification.tsx'
import { PersonVerification } from './person-verification.tsx'

export function VerificationScreen() {
  const { owner } = useAccount()
  return owner === 'me' ? <PersonVerification /> : <BusinessVerification key={owner} id={owner} />
}
