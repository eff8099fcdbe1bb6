/** The operators' console. */
import '../ui/nonce.ts'
import { RouterProvider } from '@tanstack/react-router'
import { handOver } from '../api/ahead.ts'
import { createQueryClient } from '../api/queries.ts'
import { onSessionEnd } from '../api/session.ts'
import { startApp } from '../ui/app-frame.tsx'
import { router } from './routes.ts'

const client = createQueryClient()
handOver(client)

onSessionEnd(() => {
  client.clear()
  void router.navigate({ to: '/sign-in', search: { return: router.state.location.href, ended: true } })
})

startApp(client, <RouterProvider router={router} />)
