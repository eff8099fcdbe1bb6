/** The guide about members, with the role table of server/accounts/members/permissions.ts. */
import { memberRoles, type MemberRole } from '../server/domain/member.ts'
import { approvalHours } from '../server/accounts/members/approval-rule.ts'
import { pauseHours } from '../server/accounts/developers/key.sql.ts'
import { productionSafeguards } from '../server/config/safeguards.ts'
import { invitationDays, mostInvitations, mostMembers } from '../server/accounts/members/invite-member.ts'
import { operationClasses, operationsOf, type OperationClass } from '../server/accounts/identity/operation-classes.ts'
import { maxFilters } from '../server/views/merchant-account/saved-filters.ts'
import { guardedFields } from '../server/accounts/members/sight.ts'
import { allPermissions, permissions, reachOf, type Permission, type Reach } from '../server/accounts/members/permissions.ts'

const { newPowerWaitHours } = productionSafeguards

const reaches: Record<Reach, string> = { all: '●', today: 'today’s', test: 'test only', none: '–' }

const demands: Record<OperationClass, string> = {
  ordinary: 'a session or key that is still valid when the whole request has arrived',
  moves_money: 'also a sign-in or step-up in the last 5 minutes',
  makes_power: 'also a sign-in or step-up in the last 15 minutes, an entry in the list of activities, and a mail to the owners',
  decides: 'also a sign-in or step-up in the last 5 minutes, and an entry in the list of activities',
}

const roles: Record<MemberRole, string> = {
  owner: 'The representative, and partners with the same rights. Everything.',
  admin: 'Manages the business for the owners. Everything except making and removing owners.',
  approver: 'Sees the money, requests payouts and approves those of others.',
  accountant: 'Sees the money, exports it and requests payouts, but approves none.',
  cashier: 'Sees the payments of today and makes payment requests.',
  developer: 'Manages apps, keys and webhooks, and works with the test environment.',
}

function row(permission: Permission): string {
  const { allows, scope } = permissions[permission]
  const cells = memberRoles.map((role) => reaches[reachOf(role, permission)])
  return `| ${allows} | \`${permission}\` | ${scope === null ? '–' : `\`${scope}\``} | ${cells.join(' | ')} |`
}

const code = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(', ')

const guardedRows = (): string =>
  Object.entries(guardedFields)
    .map(([field, { what, needs }]) => {
      const scopes = needs.flatMap((permission) => permissions[permission].scope ?? [])
      return `| ${what}: \`${field}\` | ${code(needs)} | ${code(scopes)} |`
    })
    .join('\n')

export const membersPage = (): string => `# Members and approvals

A business can have up to ${mostMembers} people. Each signs in with their own account and has one role in the business, so no one shares a password, and the list of activities says who did what. A personal account has one person.

## Roles

| Role | For whom |
|---|---|
${memberRoles.map((role) => `| \`${role}\` | ${roles[role]} |`).join('\n')}

The table decides for every route, and for keys by their scopes. A dot means yes, a dash no. "Test only" means only in the test environment, "today’s" means only what was made since midnight in Tanzania. A request that the role does not allow gets 403 \`insufficient_role\`; \`details.required_roles\` names those that do. A business that you are no member of looks as if it did not exist: 404.

| May | Permission | Scope of a key | ${memberRoles.map((role) => `\`${role}\``).join(' | ')} |
|---|---|---|${memberRoles.map(() => '---|').join('')}
${allPermissions.map(row).join('\n')}

These fields show more than the rest of their object. Without a permission of the second column, or for a key without a scope of the third, they are null:

| Field | Permission | Scope of a key |
|---|---|---|
${guardedRows()}

In the [API description](/openapi.json) each operation of a signed-in person names its permission as \`x-permission\`. \`GET /v1/memberships\` lists your businesses, your role in each, and what it may do in test and in live.

## What an operation demands

Every operation that changes something has a class, which the API description names as \`x-class\`.

| Class | Demands | Operations |
|---|---|---|
${operationClasses
  .map(
    (one) =>
      `| \`${one}\` | ${demands[one]} | ${operationsOf(one)
        .map((id) => `\`${id}\``)
        .join(' ')} |`,
  )
  .join('\n')}

One step-up covers a set-up session of 15 minutes. In the test environment and in local mode, keys, webhooks, redirect hosts and statements by mail need none; members, rules and what both environments share always do. The owners get one mail about everything that happened within a quarter of an hour.

## New roles

In the live environment, a new role that may pay or approve does not move money, decide or make power in its first ${newPowerWaitHours} hours: 409 \`power_not_active_yet\`, with \`details.until\`. This applies to a person who joins and to a promotion; \`power_from\` of the member says until when. The first owner never waits, and neither does reading, other work, the test environment, or what only ends a key, a webhook or an app. Another owner whose own wait is over can end it: \`POST …/members/{member_id}/confirm\`.

While the live wallet has an approval rule, other people approve a new approver, admin or owner. \`pending_role\` of the member names the approval, \`amr_…\`, and an invitation can be accepted only after it. Neither the person who asked nor the person who gets the role can approve it. If no one else can, the owner who asked gets a mail with a page, and approves there with the \`token\` of its link. What no one approves within ${approvalHours} hours ends, and so does what a removed person has asked for.

## Statements by mail

A member who may see statements can get a summary of a wallet by mail: of each day, of each week (on Monday) or of each month (on the 1st). Set it up in the dashboard under **Statement**, or with \`PUT /v1/merchant/statement-mail\`; there, one click stops it. Each member decides for themselves, for each business and for test and live.

The mail is sent from 07:00 East Africa Time, once for each period, and contains the balances, the number and sum of each kind of movement, and a link to the statement. It contains nothing of your payers. If mails could not be sent for a while, you get the last period only, and the mail names the days before it; the statement has all of them. Whether your role allows it is checked when the mail is written: after a removal or a change to another role you get no more, and a new role does not bring it back.

## Saved filters

The lists of payments and payouts in the dashboard have a menu of saved filters beside **Filters**: a status, a network, a page, amounts and days under a name. Each member has their own, for each list of each business, separately for test and live, at most ${maxFilters} per list: 409 \`too_many_filters\`. No one else sees them. They need the permission of their list, and go with the membership. Over HTTP, a signed-in member uses \`GET\` and \`PUT /v1/merchant/saved-filters/payments\`, or \`…/payouts\`, and \`DELETE …/{filter_id}\`.

A period such as \`last_7_days\` is saved by its name, so that it means other days tomorrow; days that you chose stay as they are. The text of a search is not saved, because it may name a payer.

## Invitations

\`POST /v1/businesses/{business_id}/members\` with \`{email, role}\` mails a link that works once, for ${invitationDays} days, and only for the account with that e-mail address once the address is verified. The same address again gets a new link, and the old one stops working. \`DELETE …/members/{member_id}\` cancels an invitation. At most ${mostInvitations} are open at a time: 409 \`too_many_members\`.

A person without an account sends \`invitation_token\` from the link to \`POST /v1/auth/register\`, and need not be a student: \`student_id\` and \`institution\` may be left out. Then they verify the address and send the token to \`POST /v1/invitations/accept\`.

## Changes and removal

\`PATCH …/members/{member_id}\` changes a role, \`DELETE\` removes a person; with your own id you leave. Both act from the next request of that person on, and when the removal is answered, nothing that they had under way is carried out any more. Keys that they made keep working, because your programs depend on them: [roll](/reference) those that they know. What such a key requests above an approval rule is refused with 403. When the person who granted a scope of a live key leaves or loses the right, the owners are asked to keep the key with \`POST /developers/keys/{id}/grant\`, or to revoke it: \`unkept_since\` says since when. Nothing stops without an answer, except that \`payouts:write\` waits for a grant again after ${pauseHours} hours. The person’s open invitations end, also those that a demoted person may no longer make, and the answer of a removal lists in \`left_behind\` what else the person has made. The owners get a mail about every change.

## Owners

Only an owner makes, changes or removes owners, with a recent sign-in or step-up (401 \`step_up_required\`). A new owner needs a verified identity: 403 \`kyc_required\`. The last owner stays: 409 \`invalid_state\`. To hand a business over, make the other person an owner first, then change your own role or leave. If you were its representative, the owner who has been one for longest becomes the representative.

## The approval rule

Each wallet can have a rule: \`POST /v1/merchant/approval-rule\` with \`{"above": 100000, "above_total": 500000, "approvers": 1}\`, the \`business_id\` and the \`environment\`. What is above the rule then waits with \`approval: "required"\` and \`approval_by: "members"\` until one or two other people have approved it. The money of payouts and refunds is set aside meanwhile. Test and live have separate rules.

Sums count, without fees, so that many small payouts do not pass where a large one waits. Each entry of the queue says in \`exceeds\` which sum it is:

| \`exceeds.sum\` | What is above the limit |
|---|---|
| \`amount\` | this payout, refund or batch alone is above \`above\` |
| \`recipient_day\` | with it, one recipient gets more than \`above\` in the day |
| \`wallet_day\` | with it, more than \`above_total\` leaves the wallet in the day |

A day is one of East Africa Time, and a payout, a refund or a row of a batch counts on the day of its request. It counts when it has left or may still leave, also while it waits or after others have approved it. It does not count any more when it was cancelled, has failed or came back. While a batch waits, its rows count on the day on which it was sent for approval; then on the day on which it is approved. When it is approved, it is judged again by all that counts that day, except other batches that wait: if the rule now needs two approvals, it waits for the second. Without \`above_total\` in the request it is 5 × \`above\`; null: the day has no limit. A rule that was set before this limit existed has none and shows \`asks_total: true\` until an owner or admin sets the rule again.

A requester never approves their own request: 403 \`self_approval_forbidden\`. So a rule for one approver needs two people who may approve, and one for two approvers needs three. A rule, a removal or a new role that would leave too few is refused with 409 \`approvers_missing\`.

A stricter rule applies at once, also to what waits. A looser one, with a higher limit, fewer approvers or no rule at all, becomes \`pending_change\` and waits until others have approved it under the old rule. A person whose own payouts must [wait](payouts.md#waiting-periods) cannot ask for one: 409 \`payout_must_wait\`. A stricter rule ends a \`pending_change\`.

## Approve and refuse

\`GET /v1/merchant/approvals\` lists what waits: the amount, the recipient, who asked, since when, and until when it can be approved. With \`may_decide=true\` it lists only what you may decide on. \`POST /v1/merchant/approvals/{id}/approve\` and \`…/refuse\` with a \`reason\` need a recent sign-in or step-up, and the \`version\` that you have read. The id is that of the payout, the refund, the batch or the change of the rule.

If it has another version by now, nothing is decided: 409 \`approval_changed\`. \`details.changes\` lists what was and what is (\`row\`, \`field\`, \`was\`, \`is\`), at most for 50 rows, and \`details.more_rows\` counts the others. \`details.version\` is the version to decide about next. A batch that was stopped and sent again is another approval, also when no row changed.

What is refused, or not approved within ${approvalHours} hours, ends: payouts become \`cancelled\`, refunds \`failed\` and batches \`stopped\`, with \`failure.code\` \`approval_refused\` or \`approval_expired\`. Money that was set aside returns to the wallet, once. If the person who asked is removed meanwhile, it is refused, and approvals of people who were removed do not count.

If the service has its own limit, one of our operators decides after the members: \`approval_by\` is then \`operators\`.

## Requests by key

A key acts for the business, not for a person. What it requests above the rule waits in the same queue, and counts as requested by the person who made the key: this person cannot approve it. So let a person make the keys who is not needed as an approver. A key cannot approve.

## Activity

\`GET /v1/businesses/{business_id}/activity\` shows owners and admins what members and our operators did, and when. Both people of an approval are in it, and no one can change or remove an entry. Requests by key are in the log of requests: \`GET /v1/merchant/requests\`.
`
