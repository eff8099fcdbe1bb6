/** The corner of the notices. */
import './mantine-more-styles.ts'
import classes from './notices.module.css'
import { Notifications } from '@mantine/notifications'

export { notifications } from '@mantine/notifications'

export function Notices() {
  return <Notifications position="top-right" className={classes['corner']!} />
}
