/** From an empty account to a payment by program: a key created here, and the commands of the documentation's quick start with it. */
import { Alert, Anchor, Button, Modal, Stack, Text } from '@mantine/core'
import { IconFlask2, IconKey } from '../../ui/icons.ts'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { newSandbox } from '../../api/session.ts'
import { currentLanguage } from '../../i18n/current-language.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { TextLink } from '../../ui/link-button.tsx'
import { Screen, Section } from '../../ui/screen.tsx'
import { notifyProblem } from '../../ui/notify.ts'
import { ShownOnce } from '../../ui/shown-once.tsx'
import { ownerOf, useAccount } from '../account.ts'
import { DocsWithKey } from '../docs-with-key.tsx'
import { WalletNav } from '../wallet-nav.tsx'
import { stepsOf } from './guide.ts'
import { quickStartTexts } from './texts.ts'

export default function QuickStartScreen() {
  const say = quickStartTexts.use()
  const { owner, environment } = useAccount()
  return (
    <Screen title={say('title')} nav={<WalletNav of="developers" />} text={say('text')}>
      {environment === 'live' ? (
        <Alert color="yellow" icon={<IconFlask2 aria-hidden />} title={say('onlyTest')}>
          <TextLink fw={600} to="/$owner/$environment/developers/quick-start" params={{ owner, environment: 'test' }}>
            {say('toTest')}
          </TextLink>
        </Alert>
      ) : (
        // A key belongs to one wallet: it is dropped when the wallet changes.
        <Steps key={owner} owner={owner} />
      )}
    </Screen>
  )
}

function Steps({ owner }: { owner: string }) {
  const say = quickStartTexts.use()
  const [given] = useState(() => newSandbox(owner)?.key)
  const [key, setKey] = useState(given)
  const [isStored, setIsStored] = useState(given !== undefined)
  const steps = stepsOf(currentLanguage(), location.origin, key)
  return (
    <>
      {steps.map(({ title, parts }, place) => (
        <Section key={title} title={title}>
          <Stack gap="sm">
            {place === 0 && (
              <Stack gap="sm" align="start">
                <Text c="dimmed">{say('keyText')}</Text>
                {key === undefined ? (
                  <MakeKey owner={owner} onMade={setKey} />
                ) : (
                  <>
                    <Text>{say('filledIn', { last4: key.slice(-4) })}</Text>
                    <DocsWithKey value={key} />
                  </>
                )}
              </Stack>
            )}
            {parts.map((part) =>
              'code' in part ? (
                <CodeBlock key={part.code} label={title} code={part.code} isProgram />
              ) : (
                // The page says how to get a key there; here it is made.
                place > 0 && (
                  <Text key={part.text} c="dimmed">
                    {part.text}
                  </Text>
                )
              ),
            )}
          </Stack>
        </Section>
      ))}
      <Section title={say('next')}>
        <Text>
          {say('reference')}{' '}
          <Anchor href="/reference" target="_blank" rel="noreferrer" underline="always">
            {say('openReference')}
          </Anchor>
        </Text>
      </Section>
      <Modal
        opened={key !== undefined && !isStored}
        onClose={() => undefined}
        title={say('keyLabel')}
        closeOnEscape={false}
        closeOnClickOutside={false}
        withCloseButton={false}
      >
        {key !== undefined && <ShownOnce value={key} label={say('keyLabel')} onDone={() => setIsStored(true)} />}
      </Modal>
    </>
  )
}

const scopes = ['pages:read', 'pages:write', 'payments:read', 'payments:write', 'transactions:read', 'balance:read'] as const

/** In the app of the quick start, which is created with the first key. */
function MakeKey({ owner, onMade }: { owner: string; onMade(key: string): void }) {
  const say = quickStartTexts.use()
  const [isBusy, setIsBusy] = useState(false)
  const make = async (): Promise<void> => {
    setIsBusy(true)
    try {
      const { data: apps } = await call('GET /developers/apps', {
        query: { owner: ownerOf(owner), environment: 'test', limit: 100 },
      })
      const app =
        apps.find(({ name }) => name === say('appName')) ??
        (
          await call('POST /developers/apps', {
            body: { name: say('appName'), environment: 'test', business_id: owner === 'me' ? null : owner },
          })
        ).data
      const { data } = await call('POST /developers/keys', {
        body: { app_id: app.id, key_name: say('appName'), scopes: [...scopes] },
      })
      onMade(data.key)
    } catch (error) {
      notifyProblem(error)
      setIsBusy(false)
    }
  }
  return (
    <Button leftSection={<IconKey size={16} aria-hidden />} loading={isBusy} onClick={() => void make()}>
      {say('makeKey')}
    </Button>
  )
}
