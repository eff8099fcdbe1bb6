/** Switches between the personal wallet and the businesses that the person is a member of, each with the person's role. */
import { Text, VisuallyHidden } from '@mantine/core'
import { Note } from '../ui/note.tsx'
import { IconBuildingStore, IconCheck, IconPlus, IconSelector, IconUser } from '../ui/icons.ts'
import { useNavigate } from '@tanstack/react-router'
import { useAnswer } from '../api/queries.ts'
import { PopupMenu, type MenuEntry } from '../ui/popup-menu.tsx'
import { useAccount } from './account.ts'
import classes from './merchant-shell.module.css'
import { useMemberships } from './membership.ts'
import { shellTexts } from './shell-texts.ts'

export function WalletSwitch() {
  const say = shellTexts.use()
  const { owner, environment } = useAccount()
  const navigate = useNavigate()
  const me = useAnswer('GET /v1/me', {}).data?.data
  const memberships = useMemberships() ?? []
  const wallets = [
    {
      id: 'me',
      name: me?.full_name ?? '…',
      notes: [say('personal'), me && say(`status.${me.kyc_status}`)],
      sign: IconUser,
    },
    ...memberships.map(({ business, role }) => ({
      id: business.id,
      name: business.name,
      // A verified business is the normal case.
      notes: [say(`name.${role}`), business.status !== 'verified' && say(`status.${business.status}`)],
      sign: IconBuildingStore,
    })),
  ]
  const chosen = wallets.find(({ id }) => id === owner) ?? { name: '…', notes: [], sign: IconBuildingStore }
  const noteOf = ({ notes }: Pick<(typeof wallets)[number], 'notes'>): string => notes.filter(Boolean).join(' · ')
  const items = wallets.map((wallet): MenuEntry => ({
    key: wallet.id,
    left: <wallet.sign size={18} stroke={1.6} aria-hidden />,
    right: wallet.id === owner && <IconCheck size={16} aria-hidden />,
    onChoose: () => void navigate({ to: '/$owner/$environment', params: { owner: wallet.id, environment } }),
    text: (
      <>
        {wallet.name}
        <Note size="xs">{noteOf(wallet)}</Note>
      </>
    ),
  }))
  const added: MenuEntry = {
    key: 'new',
    left: <IconPlus size={18} aria-hidden />,
    text: say('newBusiness'),
    onChoose: () => void navigate({ to: '/new-business' }),
  }
  return (
    <PopupMenu
      position="bottom-start"
      className={classes['wallet']}
      items={[...items, 'divider', added]}
      label={
        <>
          <VisuallyHidden>{say('switchWallet')}: </VisuallyHidden>
          <chosen.sign size={20} stroke={1.6} aria-hidden />
          <span className={classes['name']}>
            <Text fw={600} truncate>
              {chosen.name}
            </Text>
            <Text size="xs" c="dimmed" truncate>
              {noteOf(chosen)}
            </Text>
          </span>
          <IconSelector size={16} aria-hidden />
        </>
      }
    />
  )
}
