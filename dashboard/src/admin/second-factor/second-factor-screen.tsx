/** Connects a second factor, which every operator needs. */
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { defineTexts } from '../../i18n/define-texts.ts'
import { EnrollFactor } from '../../auth/enroll-factor.tsx'
import { GuestFrame } from '../../ui/guest-frame.tsx'

const texts = defineTexts('admin-second-factor', {
  title: ['Connect an authenticator app', 'Unganisha programu ya uthibitisho'],
  text: [
    'Operators need a second factor. Nothing is shown without it.',
    'Wasimamizi huingia kwa hatua ya pili. Bila hiyo hakuna kinachoonyeshwa.',
  ],
})

export default function SecondFactorScreen() {
  const say = texts.use()
  const navigate = useNavigate()
  const client = useQueryClient()
  return (
    <GuestFrame title={say('title')} text={say('text')}>
      <EnrollFactor
        onDone={() => {
          client.clear()
          void navigate({ to: '/', replace: true })
        }}
      />
    </GuestFrame>
  )
}
