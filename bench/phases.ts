import { residentBytes } from './child.ts'
import type { Subject } from './dialect.ts'
import { drive, type Operation } from './drive.ts'
import { alternate, type Row, type Run } from './turns.ts'
import { watchPhases } from './watch-phases.ts'

/** Create, get, update, patch, list, watch and delete, in this order, the servers alternating within each. */
export async function runPhases(run: Run): Promise<readonly Row[]> {
  const { subjects, size } = run
  await warmUp(run)
  const rows: Row[] = []
  const every = async (name: string, floor: Row['floor'], operation: (s: Subject) => Operation): Promise<void> =>
    void rows.push({ name, floor: floor!, turns: await inParts(run, name, operation) })
  const [ours] = subjects
  const before = residentBytes(ours?.server.pid ?? 0)
  await every('create', 'echo post', (s) => s.dialect.create)
  const grown = Math.round((residentBytes(ours?.server.pid ?? 0) - before) / size.objects)
  rows.push({ ...rows.pop()!, note: `${grown} B resident per object` })
  await every('get', 'echo get', (s) => s.dialect.get)
  const updates = new Map<Subject, Operation>()
  for (const s of subjects) updates.set(s, await s.dialect.prepareUpdates(s.connections[0]!, size.objects))
  await every('update', 'echo post', (s) => updates.get(s)!)
  await every('merge patch', 'echo post', (s) => s.dialect.patch(2))
  rows.push(...(await lists(run)))
  rows.push(
    ...(await watchPhases(
      run,
      rows.find((r) => r.name === 'merge patch'),
    )),
  )
  await every('delete', 'echo post', (s) => s.dialect.remove)
  return rows
}

/** Code that has not run a few hundred times yet is compiled while it is measured. */
async function warmUp({ subjects, size, log }: Run): Promise<void> {
  log('warming up')
  const count = Math.min(1000, Math.ceil(size.objects / 4))
  for (const { server, connections, dialect } of subjects) {
    const operations = [dialect.create, dialect.get, dialect.patch(1), dialect.remove]
    for (const operation of operations) await drive(server, connections, count, operation)
  }
}

/** Every object once: each turn takes the next part of them. */
async function inParts(run: Run, name: string, operation: (s: Subject) => Operation): Promise<Row['turns']> {
  const { objects, pairs } = run.size
  const part = Math.ceil(objects / pairs)
  return alternate(run, name, (subject, turn) => {
    const perform = operation(subject)
    const first = turn * part
    const count = Math.min(part, objects - first)
    return drive(subject.server, subject.connections, count, (c, i, client) => perform(c, first + i, client))
  })
}

/** One caller at a time, so that the time of one list is what is seen. */
async function lists(run: Run): Promise<readonly Row[]> {
  const { subjects, size } = run
  const rows: Row[] = []
  const measure = async (name: string, count: number, of: (s: Subject) => Operation | undefined): Promise<void> => {
    const able = subjects.filter((s) => of(s) !== undefined)
    const turns = await alternate({ ...run, subjects: able }, name, (s) =>
      drive(s.server, s.connections.slice(0, 1), count, of(s)!),
    )
    rows.push({ name, turns })
  }
  await measure(`list ${size.objects}`, 5, (s) => s.dialect.list)
  await measure(`list ${size.objects}, pages of 500`, 3, (s) => s.dialect.listPaged)
  await measure('list, selector without a match', 5, (s) => s.dialect.listNothing)
  return rows
}
