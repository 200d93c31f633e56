import { defineKindWithOptionalSpec, READY_COLUMNS, ref, type ResourceOf } from '#domain/kind.ts'
import { type Infer, s } from '#domain/schema.ts'
import { aboutDuplicates, advise, majorOf, quote, when } from '#domain/kinds/advice.ts'

const Spec = s.object(
  {
    basepath: s.string({
      maxLength: 200,
      pattern: '^/.*$',
      doc: 'Base path of the API, from the base path of its description or derived from the server URL of a newer format.',
    }),
    category: s.string({ default: 'other', doc: "Category, from the description's x-api-category extension." }),
    hash: s.string({ doc: 'SHA-256 hash of the content of the specification, to verify its integrity.' }),
    specification: s.string({ doc: 'File ID of the stored specification in the file manager.' }),
    version: s.string({ pattern: '^\\d+.*$', doc: 'Version from the info section of the description.' }),
  },
  {
    scopes: s.list(s.string(), { doc: 'OAuth2 scopes extracted from the security definitions.' }),
    xvendor: s.boolean({ default: false, doc: 'Marks a vendor-extension API, from the x-vendor extension.' }),
  },
  { doc: 'The registered description of an API.' },
)

const Status = s.object({}, { api: ref('The Api generated for this description.') })

/** Registers one API description (§1.2, §2.3). */
export const ApiSpecification = defineKindWithOptionalSpec({
  group: 'rover.cp.ei.vendor.de',
  kind: 'ApiSpecification',
  plural: 'apispecifications',
  shortNames: ['apispec'],
  doc: 'Registers one API description: base path, version, category, content hash, stored file and OAuth2 scopes.',
  spec: Spec,
  status: s.but(Status, { doc: 'The Api made from the description, and what is remarkable about it.' }),
  preserveUnknown: true,
  columns: [
    { name: 'Base Path', type: 'string', path: '.spec.basepath' },
    { name: 'Version', type: 'string', path: '.spec.version' },
    { name: 'Category', type: 'string', path: '.spec.category' },
    { name: 'Api', type: 'string', path: '.status.api.name', priority: 1 },
    ...READY_COLUMNS,
  ],
  admit: advise(advice),
})
export type ApiSpecification = ResourceOf<typeof ApiSpecification>

function advice(spec: Infer<typeof Spec> | undefined): readonly string[] {
  if (spec === undefined) return ['spec is absent: no API is registered until it is given']
  const major = majorOf(spec.version) ?? ''
  const last = spec.basepath.replace(/\/+$/, '').split('/').at(-1)
  return [
    ...when(
      last !== `v${major}`,
      () =>
        `spec.basepath ${quote(spec.basepath)} does not end in /v${major}, the major version of spec.version ` +
        `${quote(spec.version)}: end it in /v${major} so that callers see which version they call`,
    ),
    ...aboutDuplicates('spec.scopes', spec.scopes),
  ]
}
