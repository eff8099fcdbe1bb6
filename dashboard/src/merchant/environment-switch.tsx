/** Test or live, always visible: a word, an icon and a colour. */
import { SegmentedControl } from '@mantine/core'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { useAccount, type Environment } from './account.ts'
import { readPlace } from './place.ts'
import classes from './environment-switch.module.css'
import { shellTexts } from './shell-texts.ts'

/** The section of the same name in the other environment, because objects exist only in one. */
function sectionIn(pathname: string, { owner, environment }: { owner: string; environment: Environment }): string {
  const [, urlOwner, urlEnvironment, section] = pathname.split('/')
  const isOfWallet = readPlace({ ...(urlOwner && { owner: urlOwner }), ...(urlEnvironment && { environment: urlEnvironment }) })
  return `/${owner}/${environment}${isOfWallet && section ? `/${section}` : ''}`
}

export function EnvironmentSwitch() {
  const say = shellTexts.use()
  const { owner, environment } = useAccount()
  const { pathname } = useLocation()
  const navigate = useNavigate()
  return (
    <SegmentedControl
      size="sm"
      color={environment === 'test' ? 'yellow' : 'green'}
      // The component would use the text colour of the light theme in both themes.
      classNames={{ label: classes[environment]! }}
      aria-label={say('environment')}
      value={environment}
      onChange={(value) => void navigate({ to: sectionIn(pathname, { owner, environment: value as Environment }) })}
      data={[
        { value: 'live', label: say('live') },
        { value: 'test', label: say('test') },
      ]}
    />
  )
}
