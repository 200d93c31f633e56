import { golden } from '#test/support/golden.ts'
import { platformControllers } from '#controllers/platform.ts'

const FOLDERS: Readonly<Record<string, string>> = {
  Zone: 'zone',
  Environment: 'environment',
  IdentityProvider: 'identity',
  Realm: 'realm',
  Client: 'client',
  Consumer: 'consumer',
  Route: 'route',
  ConsumeRoute: 'consume-route',
  Application: 'application',
  Team: 'team',
  ApprovalRequest: 'approval-request',
  Approval: 'approval',
  ApprovalExpiration: 'approval-expiration',
  Notification: 'notification',
}

for (const { kind, planner } of platformControllers()) {
  const folder = FOLDERS[kind.kind]
  if (folder !== undefined) golden(folder, planner, kind)
}
