/** The verification of a wallet's owner, a person or a business. Live payments need it. */
import { useAccount } from '../account.ts'
import { BusinessVerification } from './business-verification.tsx'
import { PersonVerification } from './person-verification.tsx'

export default function VerificationScreen() {
  const { owner } = useAccount()
  return owner === 'me' ? <PersonVerification /> : <BusinessVerification key={owner} id={owner} />
}
