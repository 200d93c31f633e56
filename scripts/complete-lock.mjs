// Adds to package-lock.json the optional platform packages that the registry at hand did not offer when the lock was
// written. Without their entries `npm ci` calls the lock out of date, on the very platform it was written on.
// Run after changing dependencies: node scripts/complete-lock.mjs
import { readFileSync, writeFileSync } from 'node:fs'

const file = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(file, 'utf8'))
const systems = new Set([
  'android',
  'darwin',
  'freebsd',
  'linux',
  'openbsd',
  'netbsd',
  'win32',
  'sunos',
  'aix',
  'openharmony',
])
const processors = ['arm64', 'arm', 'x64', 'ia32', 'ppc64', 'riscv64', 's390x', 'loong64', 'mips64el', 'wasm32']
const added = []

for (const [path, entry] of Object.entries({ ...lock.packages })) {
  for (const [name, range] of Object.entries(path === '' ? {} : (entry.optionalDependencies ?? {}))) {
    if (`node_modules/${name}` in lock.packages || `${path}/node_modules/${name}` in lock.packages) continue
    const words = name.split(/[/-]/)
    const os = words.find((word) => systems.has(word)) ?? 'none'
    const cpu = processors.find((word) => words.includes(word))
    const libc = /musl/.test(name) ? ['musl'] : /gnu/.test(name) ? ['glibc'] : undefined
    const version = range.replace(/^[\^~]/, '')
    lock.packages[`node_modules/${name}`] = {
      version,
      optional: true,
      os: [os],
      ...(cpu && { cpu: [cpu] }),
      ...(libc && { libc }),
    }
    added.push(name)
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).toSorted(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
console.log(added.length === 0 ? 'complete already' : `added ${added.join(', ')}`)
