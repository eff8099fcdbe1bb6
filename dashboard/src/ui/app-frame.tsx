/** The frame of both apps: theme, data, and the step-up dialog. */
import { nonce } from './nonce.ts'
import './mantine-styles.ts'
import './page.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query'
import { StrictMode, useMemo, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { loadFont } from './font.ts'
import { waitForFirstScreen } from './later.ts'
import { StepUp } from './step-up.tsx'
import { shared } from './texts.ts'
import { colorSchemeManager, cssVariablesResolver, themeWith } from './theme.ts'

export function startApp(client: QueryClient, app: ReactNode): void {
  waitForFirstScreen(client)
  // Without it the screen is readable as well.
  loadFont().catch(() => undefined)
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <Look>
        <QueryClientProvider client={client}>
          {app}
          <StepUp />
        </QueryClientProvider>
      </Look>
    </StrictMode>,
  )
}

function Look({ children }: { children: ReactNode }) {
  const say = shared.use()
  const theme = useMemo(() => themeWith(say('close'), say('showPassword')), [say])
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      {children}
    </MantineProvider>
  )
}
