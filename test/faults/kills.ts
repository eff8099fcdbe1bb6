/** How often the tests that kill processes at random do so: a hundred times, or as often as the run says. */
export const killsVariable = 'MALIPO_FAULT_KILLS'

export const kills = Number(process.env[killsVariable] ?? 100)
