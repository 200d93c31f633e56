import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { afterEach, beforeEach, test } from 'node:test'
import { isStatus } from '#domain/errors.ts'
import { Api } from '#domain/kinds/api/api.ts'
import { ApiCategory } from '#domain/kinds/api/api-category.ts'
import { Team } from '#domain/kinds/organization/team.ts'
import { ApiSpecification } from '#domain/kinds/rover/api-specification.ts'
import { HYPERION, PANDORA, Town } from './town.ts'

let town: Town
beforeEach(() => {
  town = new Town()
})
afterEach(() => town.close())

const specification = (type = 'Ready', namespace = HYPERION, name = 'eni-foo-v1'): string =>
  town.condition(ApiSpecification, namespace, name, type)
const api = (namespace = HYPERION, name = 'eni-foo-v1') => town.find(Api, namespace, name)

test('1: a specification registers an Api', async () => {
  await town.register()
  assert.deepEqual(api()?.metadata.labels, {
    'cp.ei.vendor.de/basepath': 'eni-foo-v1',
    'cp.ei.vendor.de/environment': 'poc',
  })
  assert.equal(api()?.metadata.ownerReferences?.[0]?.kind, 'ApiSpecification')
  assert.equal(api()?.status?.active, true)
  assert.equal(specification(), 'True/Provisioned')
  assert.equal(specification('Processing'), 'False/Done')
  assert.deepEqual(town.get(ApiSpecification, HYPERION, 'eni-foo-v1').status?.api, {
    name: 'eni-foo-v1',
    namespace: HYPERION,
  })
})

test('2: a changed version reaches the Api, and a converged world is silent', async () => {
  await town.register()
  await town.register({ version: '1.5.0' })
  assert.equal(api()?.spec.version, '1.5.0')
  assert.equal(specification(), 'True/Provisioned')
  town.garden.counted()
  await town.garden.stop()
  town.garden.start()
  await town.settle()
  assert.equal(town.garden.counted().writes, 0)
})

test('3: a base path of another major version is reported, not refused', async () => {
  await town.register({ version: '2.0.0' })
  assert.equal(specification(), 'True/Provisioned')
  assert.equal(specification('VersionInBasePath'), 'False/MajorMismatch')
})

test('4: what the schema refuses is refused, and unknown fields stay', async () => {
  const refused = (spec: object): Promise<void> => assert.rejects(town.register(spec), (e) => isStatus(e, 'Invalid'))
  await refused({ basepath: 'eni/foo' })
  await refused({ basepath: `/${'x'.repeat(200)}` })
  await refused({ version: 'v1' })
  await refused({ hash: undefined })
  await town.register({ foo: { bar: 1 } })
  assert.deepEqual((town.get(ApiSpecification, HYPERION, 'eni-foo-v1').spec as any).foo, { bar: 1 })
})

test('5: category and xvendor have defaults', async () => {
  await town.register({ category: undefined })
  const { spec } = town.get(ApiSpecification, HYPERION, 'eni-foo-v1')
  assert.equal(spec?.category, 'other')
  assert.equal(spec?.xvendor, false)
})

test('6: the rules of categories are conditions, and never refuse', async () => {
  const allowTeams = { categories: ['*'], names: ['eni--pandora'] }
  await town.put(ApiCategory, 'poc', 'internal', { labelValue: 'internal', active: true, allowTeams })
  await town.register({ category: 'Internal', basepath: '/other/foo/v1' })
  assert.equal(specification(), 'True/Provisioned')
  assert.equal(specification('CategoryAllowed'), 'False/TeamNotAllowed')
  const said = town.message(ApiSpecification, HYPERION, 'eni-foo-v1', 'CategoryAllowed')
  assert.match(said, /not open to eni--hyperion/)
  assert.match(said, /begin with \/eni\//)
  await town.register({ category: 'public' })
  assert.equal(specification('CategoryAllowed'), 'False/UnknownCategory')
  assert.match(town.message(ApiSpecification, HYPERION, 'eni-foo-v1', 'CategoryAllowed'), /use one of internal/)
  await town.register({ category: 'INTERNAL' }, PANDORA)
  assert.equal(specification('CategoryAllowed', PANDORA), 'True/Allowed')
  await town.delete(ApiCategory, 'poc', 'internal')
  assert.equal(specification('CategoryAllowed'), 'none')
})

test('6: the category of a team counts where there is a Team object', async () => {
  const allowTeams = { categories: ['Infrastructure'], names: ['*'] }
  await town.put(ApiCategory, 'poc', 'internal', { labelValue: 'internal', active: false, allowTeams })
  await town.register({ category: 'internal' })
  assert.equal(specification('CategoryAllowed'), 'False/InactiveCategory')
  await town.put(ApiCategory, 'poc', 'internal', { labelValue: 'internal', active: true, allowTeams })
  assert.equal(specification('CategoryAllowed'), 'True/Allowed')
  const team = { group: 'eni', name: 'hyperion', email: 'h@example.com' }
  await town.put(Team, 'poc', 'eni--hyperion', team)
  assert.equal(specification('CategoryAllowed'), 'False/TeamCategoryNotAllowed')
  await town.put(Team, 'poc', 'eni--hyperion', { ...team, category: 'Infrastructure' })
  assert.equal(specification('CategoryAllowed'), 'True/Allowed')
})

test('7: of two Apis with one base path the older counts, and the younger takes over without any write', async () => {
  await town.register()
  town.garden.clock.advance(1000)
  await town.register({}, PANDORA)
  assert.equal(api(PANDORA)?.status?.active, false)
  assert.equal(town.condition(Api, PANDORA, 'eni-foo-v1'), 'False/PreconditionNotMet')
  assert.equal(town.condition(Api, PANDORA, 'eni-foo-v1', 'Processing'), 'False/Blocked')
  assert.equal(specification('Ready', PANDORA), 'True/Provisioned')
  await town.delete(ApiSpecification, HYPERION, 'eni-foo-v1')
  assert.equal(api(), undefined)
  assert.equal(api(PANDORA)?.status?.active, true)
})

test('8: base paths that gateways cannot tell apart are in conflict', async () => {
  await town.register()
  town.garden.clock.advance(1000)
  await town.register({ basepath: '/Eni/foo/v1' }, PANDORA)
  assert.equal(town.condition(Api, PANDORA, 'eni-foo-v1'), 'False/PreconditionNotMet')
  assert.match(town.message(Api, PANDORA, 'eni-foo-v1'), /cannot tell from "\/Eni\/foo\/v1"/)
})

test('a changed base path replaces the Api', async () => {
  await town.register()
  await town.register({ basepath: '/eni/bar/v1' })
  assert.equal(api(), undefined)
  assert.equal(api(HYPERION, 'eni-bar-v1')?.status?.active, true)
})

test('of two specifications of one team for one base path the older writes the Api', async () => {
  await town.register()
  town.garden.clock.advance(1000)
  await town.register({ version: '1.9.0' }, HYPERION, 'twin')
  assert.equal(specification('Ready', HYPERION, 'twin'), 'False/PreconditionNotMet')
  assert.equal(api()?.spec.version, '1.4.0')
  await town.delete(ApiSpecification, HYPERION, 'eni-foo-v1')
  assert.equal(specification('Ready', HYPERION, 'twin'), 'True/Provisioned')
  assert.equal(api()?.spec.version, '1.9.0')
})

for (const basepath of [
  '/',
  '/publish',
  '/callback//v1',
  '/SSE//x',
  '/eventbackend/events/v1',
  '/EventBackend-z1/callback/v1',
  '/auth/realms/poc',
  '/spacegate/auth/realms/poc',
  '/ä',
  '/a..b',
])
  test(`no API can have the base path ${basepath}`, async () => {
    await town.register({ basepath })
    assert.equal(specification(), 'False/PreconditionNotMet')
    assert.deepEqual(await town.all(Api), [])
  })

test('a specification without spec says so', async () => {
  await town.garden.registry.create(
    ApiSpecification,
    HYPERION,
    {
      value: { apiVersion: 'rover.cp.ei.vendor.de/v1', kind: 'ApiSpecification', metadata: { name: 'x' } },
      duplicates: [],
    },
    { user: { name: 'alice', groups: [] } },
  )
  await town.settle()
  assert.equal(specification('Ready', HYPERION, 'x'), 'False/ValidationFailed')
})

test('11: the result of a lint is a condition', async () => {
  await town.register({ lint: { passed: false, message: '2 errors' } })
  assert.equal(specification('Linted'), 'False/Failed')
  assert.equal(specification(), 'True/Provisioned')
  await town.register({ lint: { passed: true } })
  assert.equal(specification('Linted'), 'True/Passed')
})

test('the stored file is compared with the registered hash, and nothing waits for it', async () => {
  const bytes = Buffer.from('openapi: 3.0.0')
  const id = `${HYPERION}--eni-foo-v1`
  const hash = createHash('sha256').update(bytes).digest()
  await town.register({ hash: hash.toString('base64') })
  assert.equal(specification('FileIntegrity'), 'False/FileMissing')
  assert.equal(specification(), 'True/Provisioned')
  await town.garden.registry.files.put(id, { bytes, contentType: 'application/yaml' })
  await town.settle()
  assert.equal(specification('FileIntegrity'), 'True/Verified')
  await town.register({ hash: hash.toString('hex').toUpperCase() })
  assert.equal(specification('FileIntegrity'), 'True/Verified')
  await town.garden.registry.files.put(id, { bytes: Buffer.from('other'), contentType: 'application/yaml' })
  await town.settle()
  assert.equal(specification('FileIntegrity'), 'False/HashMismatch')
  await town.register({ specification: 'elsewhere' })
  assert.equal(specification('FileIntegrity'), 'False/InvalidFileId')
  assert.equal(specification(), 'True/Provisioned')
})
