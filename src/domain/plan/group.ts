import type { GroupSpec, GroupStatus } from '#domain/kinds/organization/group.ts'
import { provisioned, type Planner } from './plan.ts'

export const planGroup: Planner<GroupSpec, GroupStatus> = () => provisioned({ status: {} })
