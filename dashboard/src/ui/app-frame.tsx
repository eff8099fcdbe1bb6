/** Everything that an app stands in: theme, texts, data, notices, and the dialog that asks once more who somebody is. */
import { nonce } from './nonce.ts'
import './mantine-styles.ts'
import './page.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query'
import { StrictMode, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { StepUpDialog } from './step-up-dialog.tsx'
import { colorSchemeManager, cssVariablesResolver, theme } from './theme.ts'

export function startApp(client: QueryClient, app: ReactNode): void {
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariablesResolver}
        colorSchemeManager={colorSchemeManager}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <QueryClientProvider client={client}>
          {app}
          <StepUpDialog />
          <Notifications position="top-right" />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  )
}
