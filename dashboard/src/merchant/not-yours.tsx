/** Instead of a screen that the role of the person does not include: in which role they are here, and which person to ask. */
import { useMatches } from '@tanstack/react-router'
import { defineTexts } from '../i18n/define-texts.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { IconLock } from '../ui/icons.ts'
import { LinkButton } from '../ui/link-button.tsx'
import { Screen } from '../ui/screen.tsx'
import { useAccount } from './account.ts'
import { useCan, useMembership, type Permission } from './membership.ts'
import { roleTexts } from './roles.ts'

const texts = defineTexts('not-yours', [roleTexts], {
  title: ['Not part of your role', 'Si sehemu ya jukumu lako'],
  role: ['In {{business}} you are: {{role}}', 'Kwenye {{business}} wewe ni: {{role}}'],
  text: [
    'That role does not include this screen. If you need it, ask an owner of {{business}}.',
    'Jukumu hilo halina ukurasa huu. Ukiuhitaji, muulize mmiliki wa {{business}}.',
  ],
  inTest: [
    'That role sees this only in the test environment. If you need more, ask an owner of {{business}}.',
    'Jukumu hilo huona haya kwenye mazingira ya majaribio tu. Ukihitaji zaidi, muulize mmiliki wa {{business}}.',
  ],
  closed: ['No access', 'Hakuna ruhusa'],
  stranger: ['You are not a member of this business', 'Wewe si mwanachama wa biashara hii'],
  strangerText: [
    'You were removed from it or have left it, or the address is wrong. An owner can invite you again.',
    'Umeondolewa au umeondoka, au anwani si sahihi. Mmiliki anaweza kukualika tena.',
  ],
  home: ['To the start of this wallet', 'Mwanzo wa pochi hii'],
  test: ['To the test environment', 'Nenda kwenye majaribio'],
  own: ['To my own account', 'Nenda kwenye akaunti yangu'],
})

/** Of the screen at this address. */
const useNeeded = (): Permission | undefined => useMatches().at(-1)?.staticData.permission

/** Whether the screen at this address is closed to the person: by their role, or because they are no member. */
export function useIsClosed(): boolean {
  const needed = useNeeded()
  const membership = useMembership()
  const can = useCan()
  return membership === null || (needed !== undefined && can(needed) === false)
}

export function NotYours() {
  const say = texts.use()
  const { owner, environment } = useAccount()
  const membership = useMembership()
  const can = useCan()
  const needed = useNeeded()
  if (!membership || membership === 'me') {
    return (
      <Screen title={say('closed')}>
        <EmptyState
          icon={IconLock}
          title={say('stranger')}
          text={say('strangerText')}
          action={
            <LinkButton variant="default" to="/$owner/$environment" params={{ owner: 'me', environment: 'test' }}>
              {say('own')}
            </LinkButton>
          }
        />
      </Screen>
    )
  }
  const isForTest = environment === 'live' && needed !== undefined && can(needed, 'test') === true
  const values = { business: membership.business.name, role: say(`name.${membership.role}`) }
  return (
    <Screen title={say('title')}>
      <EmptyState
        icon={IconLock}
        title={say('role', values)}
        text={say(isForTest ? 'inTest' : 'text', values)}
        action={
          <LinkButton
            variant="default"
            to="/$owner/$environment"
            params={{ owner, environment: isForTest ? 'test' : environment }}
          >
            {say(isForTest ? 'test' : 'home')}
          </LinkButton>
        }
      />
    </Screen>
  )
}
