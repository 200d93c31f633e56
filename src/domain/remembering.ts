/** Longer texts are no names: remembering them would only cost memory. */
const LONGEST = 128
const MOST = 8192

/** A pure function that remembers its last answers: names are made of the same few texts again and again. */
export function remembering(compute: (text: string) => string): (text: string) => string {
  let known = new Map<string, string>()
  return (text) => {
    const answer = known.get(text)
    if (answer !== undefined) return answer
    if (text.length > LONGEST) return compute(text)
    // A text that is part of a request would keep all of it in memory.
    const own = `${text} `.slice(0, -1)
    const fresh = compute(own)
    if (known.size >= MOST) known = new Map()
    known.set(own, fresh)
    return fresh
  }
}
