/** The merchants' dashboard. */
import '../ui/nonce.ts'
import './first-look/first-look.css'
import { RouterProvider } from '@tanstack/react-router'
import { handOver } from '../api/ahead.ts'
import { createQueryClient } from '../api/queries.ts'
import { onSessionEnd } from '../api/session.ts'
import { startApp } from '../ui/app-frame.tsx'
import { isFirstLook } from './first-look/draw.ts'
import { router } from './routes.ts'

const client = createQueryClient()
handOver(client)

onSessionEnd(() => {
  client.clear()
  void router.navigate({ to: '/sign-in', search: { return: router.state.location.href, ended: true } })
})

const start = (): void => startApp(client, <RouterProvider router={router} />)

// A first look stays until the screen that follows it is there.
if (isFirstLook()) void router.load().finally(start)
else start()
