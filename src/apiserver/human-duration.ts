const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const YEAR = 365 * DAY

interface Step {
  /** Durations below this are written in `unit`. */
  readonly below: number
  readonly unit: [size: number, name: string]
  /** And, below `preciseBelow`, the rest in this one. */
  readonly rest?: [size: number, name: string]
  readonly preciseBelow?: number
}

const STEPS: readonly Step[] = [
  { below: 2 * MINUTE, unit: [SECOND, 's'] },
  { below: 3 * HOUR, unit: [MINUTE, 'm'], rest: [SECOND, 's'], preciseBelow: 10 * MINUTE },
  { below: 2 * DAY, unit: [HOUR, 'h'], rest: [MINUTE, 'm'], preciseBelow: 8 * HOUR },
  { below: 2 * YEAR, unit: [DAY, 'd'], rest: [HOUR, 'h'], preciseBelow: 8 * DAY },
  { below: Infinity, unit: [YEAR, 'y'], rest: [DAY, 'd'], preciseBelow: 8 * YEAR },
]

/** An age as kubectl writes it: two or three digits of what matters (`45s`, `5m3s`, `12m`, `3h20m`, `5d`, `3y`). */
export function humanDuration(ms: number): string {
  if (ms < -2 * SECOND) return '<invalid>'
  if (ms < 0) return '0s'
  const step = STEPS.find((s) => ms < s.below)
  if (step === undefined) return '<invalid>'
  const [size, name] = step.unit
  const whole = Math.floor(ms / size)
  if (step.rest === undefined || ms >= (step.preciseBelow ?? 0)) return `${whole}${name}`
  const rest = Math.floor((ms % size) / step.rest[0])
  return rest === 0 ? `${whole}${name}` : `${whole}${name}${rest}${step.rest[1]}`
}
