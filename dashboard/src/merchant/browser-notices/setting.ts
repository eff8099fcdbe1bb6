/** Whether this browser shows notifications: the choice of the person, on this device, and the permission of the browser. */
export const noticesKey = 'malipo-browser-notices'

export const showsNotices = (): boolean => localStorage.getItem(noticesKey) === 'on' && Notification.permission === 'granted'
