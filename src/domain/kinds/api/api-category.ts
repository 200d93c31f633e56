import { defineKind, READY_COLUMNS } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import { s, type Infer } from '#domain/schema.ts'

const set = (doc: string) => s.list(s.string({ minLength: 1 }), { listType: 'set', doc })

const Spec = s.object(
  {
    labelValue: s.string({
      minLength: 1,
      maxLength: 20,
      doc: 'The category as APIs name it; unique in the environment.',
    }),
    active: s.boolean({ default: false, doc: 'Whether new APIs may use it.' }),
    mustHaveGroupPrefix: s.boolean({ default: true, doc: 'Whether base paths begin with the group of the team.' }),
  },
  {
    description: s.string({ maxLength: 256, doc: 'What the category is for.' }),
    allowTeams: s.object(
      {},
      { categories: set('Team categories; `*` for all.'), names: set('Teams, `<group>--<team>`; `*` for all.') },
      { doc: 'Which teams may use it; absent: everyone. An empty list denies everyone.' },
    ),
    linting: s.object(
      {
        ruleset: s.string({ minLength: 1, doc: 'The rules.' }),
        mode: s.oneOf(['Block', 'Warn', 'None'], { default: 'Block', doc: 'What a violation leads to.' }),
      },
      {
        whitelistedBasepaths: s.list(s.string({ pattern: '^/.*$' }), {
          listType: 'set',
          doc: 'APIs that are not checked.',
        }),
      },
      { doc: 'How descriptions are checked.' },
    ),
  },
)
const Status = s.object({})

export type ApiCategorySpec = Infer<typeof Spec>
export type ApiCategoryStatus = Infer<typeof Status>

export const ApiCategory = defineKind<ApiCategorySpec, ApiCategoryStatus>({
  group: 'api.cp.ei.vendor.de',
  kind: 'ApiCategory',
  plural: 'apicategories',
  doc: 'A category of APIs and the rules that go with it.',
  spec: s.but(Spec, { doc: 'Which APIs the category is for, who may use it and what is asked of their descriptions.' }),
  status: s.but(Status, { doc: 'Whether the category is in force: the oldest of those with one label is.' }),
  columns: [
    { name: 'Label', type: 'string', path: '.spec.labelValue' },
    { name: 'Active', type: 'boolean', path: '.spec.active' },
    ...READY_COLUMNS,
  ],
})
export type ApiCategory = Resource<ApiCategorySpec, ApiCategoryStatus>
