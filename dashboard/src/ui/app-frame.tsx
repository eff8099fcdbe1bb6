/** The frame of both apps: theme, data, and the step-up dialog. */
import { nonce } from './nonce.ts'
import './mantine-styles.ts'
import './page.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query'
import { StrictMode, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { StepUp } from './step-up.tsx'
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
          <StepUp />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  )
}
