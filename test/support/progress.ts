let last = 0

/** A line now and then for whoever waits for a long run; silent unless STELLWERK_PROGRESS is set. */
export function progress(text: string): void {
  if (process.env['STELLWERK_PROGRESS'] === undefined || performance.now() - last < 5000) return
  last = performance.now()
  console.log(`  … ${text}`)
}
