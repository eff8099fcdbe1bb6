/** The parts of the start page that are loaded after the figures, in one request. */
export { PatternsInView } from './patterns-in-view.tsx'
export { PeriodChoice } from './period-choice.tsx'
export { Shares } from './shares.tsx'
export { VolumeChart } from './volume-chart.tsx'
