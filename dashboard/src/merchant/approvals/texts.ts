/** The texts of what waits for the approval of members, and of the approval rule. */
import { shared } from '../../ui/texts.ts'
import { roleTexts } from '../roles.ts'
import { defineTexts } from '../../i18n/define-texts.ts'

export const approvalsTexts = defineTexts('approvals', [shared, roleTexts], {
  title: ['Approvals', 'Idhini'],
  text: [
    'Money that leaves only after other members have approved it.',
    'Pesa zinazotoka tu baada ya wanachama wengine kuziidhinisha.',
  ],
  queue: ['Waiting for approval', 'Zinazosubiri idhini'],
  none: ['Nothing waits for approval', 'Hakuna kinachosubiri idhini'],
  noneText: [
    'What is above the amount of the rule appears here until it is approved or refused.',
    'Kinachozidi kiasi cha kanuni hukaa hapa hadi kiidhinishwe au kikataliwe.',
  ],
  noneNoRule: [
    'Without a rule, money leaves as soon as a member sends it.',
    'Bila kanuni, pesa hutoka mara tu mwanachama anapozituma.',
  ],
  kind: {
    payout: ['Payout', 'Kutuma pesa'],
    refund: ['Refund', 'Kurudisha fedha'],
    payout_batch: ['Payout batch', 'Orodha ya malipo'],
    rule_change: ['Change of the rule', 'Mabadiliko ya kanuni'],
    member_role: ['New role', 'Jukumu jipya'],
  },
  how: ['How', 'Namna'],
  outside: [
    'The customer was given the money back outside the wallet; nothing is sent',
    'Mteja alirudishiwa fedha nje ya pochi; hakuna kinachotumwa',
  ],
  recorded: ['Approved. The return is recorded.', 'Imeidhinishwa. Marejesho yamerekodiwa.'],
  approveOutside: [
    'Your approval is the last one: the return is recorded at once. Nothing is sent.',
    'Idhini yako ni ya mwisho: marejesho yatarekodiwa mara moja. Hakuna kinachotumwa.',
  ],
  refuseOutside: ['The return is not recorded.', 'Marejesho hayatarekodiwa.'],
  to: ['{{amount}} to {{name}}', '{{amount}} kwa {{name}}'],
  batchOf: ['Batch of {{amount}}', 'Orodha ya {{amount}}'],
  becomes: ['{{name}} as {{role}}', '{{name}} awe {{role}}'],
  newRule: ['A looser approval rule', 'Kanuni ya idhini iliyolegezwa'],
  noRuleAnyMore: ['No approval rule any more', 'Kuondoa kanuni ya idhini'],
  number: ['Number', 'Namba'],
  purpose: ['Purpose', 'Ni ya nini'],
  wanted: ['New rule', 'Kanuni mpya'],
  askedBy: ['Requested by', 'Aliyeomba'],
  byKey: ['{{name}}, with a key', '{{name}}, kwa ufunguo'],
  since: ['Waiting since', 'Inasubiri tangu'],
  until: ['Open until', 'Mwisho wa kuidhinisha'],
  approvals: ['Approved by', 'Walioidhinisha'],
  approvedBy: ['{{name}}, {{when}}', '{{name}}, {{when}}'],
  given: ['{{given}} of {{needed}}', '{{given}} kati ya {{needed}}'],
  toPayout: ['Open the payout', 'Fungua malipo haya'],
  toBatch: ['Open the batch', 'Fungua orodha hii'],
  toPayment: ['Open the payment', 'Fungua malipo yaliyopokelewa'],
  approve: ['Approve', 'Idhinisha'],
  approveAll: ['Approve all {{count}} · {{amount}}', 'Idhinisha zote {{count}} · {{amount}}'],
  approveAllTitle: ['Approve all {{count}}?', 'Uidhinishe zote {{count}}?'],
  allApproved: [
    'All are approved. What needs one more approval waits for it.',
    'Zote zimeidhinishwa. Zinazohitaji idhini moja zaidi zinaisubiri.',
  ],
  why: ['Waits because', 'Sababu ya kusubiri'],
  exceeds: {
    amount: ['It is above {{above}}', 'Inazidi {{above}}'],
    recipient_day: [
      'This recipient would get {{total}} that day, above {{above}}',
      'Mpokeaji huyu angepata {{total}} siku hiyo, zaidi ya {{above}}',
    ],
    wallet_day: [
      '{{total}} would leave the wallet that day, above {{above}}',
      '{{total}} zingetoka kwenye pochi siku hiyo, zaidi ya {{above}}',
    ],
  },
  whyNot: {
    own_request: [
      'You requested this yourself, so another member must decide.',
      'Uliomba hili mwenyewe, kwa hiyo mwanachama mwingine anaamua.',
    ],
    own_change: [
      'You have changed a row of this batch, so another member must decide.',
      'Umebadilisha mstari wa orodha hii, kwa hiyo mwanachama mwingine anaamua.',
    ],
    own_role: [
      'This is about your own role, so another member must decide.',
      'Hili linahusu jukumu lako mwenyewe, kwa hiyo mwanachama mwingine anaamua.',
    ],
    byMail: [
      'No one else may decide. Open the link that was mailed to you, and approve it there.',
      'Hakuna mwingine anayeweza kuamua. Fungua kiungo kwenye barua pepe yako, kisha uidhinishe hapo.',
    ],
    ownKey: [
      'A key that you made requested this, so another member must decide.',
      'Hili liliombwa kwa ufunguo uliotengeneza wewe, kwa hiyo mwanachama mwingine anaamua.',
    ],
    already_approved: [
      'You have approved this. Another member must approve it, too.',
      'Umeshaidhinisha. Mwanachama mwingine anatakiwa kuidhinisha pia.',
    ],
    role: ['Your role may see this, but not decide about it.', 'Jukumu lako linaruhusu kuona hili, si kuamua.'],
  },
  approveTitle: ['Approve {{what}}?', 'Uidhinishe {{what}}?'],
  refuseTitle: ['Refuse {{what}}?', 'Ukatae {{what}}?'],
  approveLast: [
    'After your approval the money leaves. Very large amounts are then checked by Malipo, too.',
    'Ukiidhinisha, pesa hutoka. Kiasi kikubwa sana hukaguliwa na Malipo pia.',
  ],
  approveMore: [
    'After your approval, one more member must approve it.',
    'Ukiidhinisha, mwanachama mmoja zaidi anatakiwa kuidhinisha.',
  ],
  approveRule: ['After your approval this rule holds at once.', 'Ukiidhinisha, kanuni hii inaanza kutumika mara moja.'],
  approveRole: [
    'After your approval this person gets the role; an invited person can join. Approve only if you know them.',
    'Ukiidhinisha, mtu huyu anapata jukumu hilo; aliyealikwa anaweza kujiunga. Idhinisha tu kama unamfahamu.',
  ],
  refuseText: ['It is cancelled, and the money returns to the wallet.', 'Itaghairiwa, na pesa zitarudi kwenye pochi.'],
  refuseBatch: ['Nothing is paid.', 'Hakuna kitakachotumwa.'],
  refuseRule: ['The present rule stays.', 'Kanuni ya sasa itabaki.'],
  refuseRole: [
    'The person does not get the role, and an invitation to it ends.',
    'Mtu huyu hapati jukumu hilo, na mwaliko wake unakoma.',
  ],
  reasonHint: ['The person who requested it reads this.', 'Aliyeomba ataisoma.'],
  sent: ['Approved. The money is on its way.', 'Imeidhinishwa. Pesa ziko njiani.'],
  operators: [
    'Approved by the members. Because of its amount, Malipo checks it, too, before it leaves.',
    'Wanachama wameidhinisha. Kwa sababu ya ukubwa wa kiasi, Malipo nayo inakagua kabla pesa hazijatoka.',
  ],
  later: [
    'Approved. The recipient is new, so the money leaves on {{when}}.',
    'Imeidhinishwa. Mpokeaji ni mpya, kwa hiyo pesa zitatoka {{when}}.',
  ],
  more: [
    'Your approval counts. One more member must approve it.',
    'Idhini yako imehesabiwa. Mwanachama mmoja zaidi anatakiwa kuidhinisha.',
  ],
  ruleHolds: ['Approved. The new rule holds now.', 'Imeidhinishwa. Kanuni mpya inatumika sasa.'],
  roleGiven: ['Approved.', 'Imeidhinishwa.'],
  refused: ['Refused.', 'Imekataliwa.'],
  rule: {
    title: ['Approval rule', 'Kanuni ya idhini'],
    none: [
      'There is no rule: money leaves without the approval of others.',
      'Hakuna kanuni: pesa hutoka bila idhini ya wengine.',
    ],
    all_one: [
      'Every payout, refund and batch leaves only after {{count}} other member has approved it.',
      'Pesa zote (kutuma, kurudisha na orodha) hutoka tu baada ya mwanachama {{count}} mwingine kuidhinisha.',
    ],
    all_other: [
      'Every payout, refund and batch leaves only after {{count}} other members have approved it.',
      'Pesa zote (kutuma, kurudisha na orodha) hutoka tu baada ya wanachama {{count}} wengine kuidhinisha.',
    ],
    above_one: [
      'Payouts, refunds and batches above {{amount}} leave only after {{count}} other member has approved them. What one recipient gets in a day is added up.',
      'Pesa zinazozidi {{amount}} (kutuma, kurudisha na orodha) hutoka tu baada ya mwanachama {{count}} mwingine kuidhinisha. Anachopata mpokeaji mmoja kwa siku kinajumlishwa.',
    ],
    above_other: [
      'Payouts, refunds and batches above {{amount}} leave only after {{count}} other members have approved them. What one recipient gets in a day is added up.',
      'Pesa zinazozidi {{amount}} (kutuma, kurudisha na orodha) hutoka tu baada ya wanachama {{count}} wengine kuidhinisha. Anachopata mpokeaji mmoja kwa siku kinajumlishwa.',
    ],
    total: [
      'The same applies to what lifts the sum of the day above {{amount}}.',
      'Vivyo hivyo kwa kinachofanya jumla ya siku izidi {{amount}}.',
    ],
    asksTotal: ['Many small payouts are not limited yet', 'Malipo mengi madogo bado hayana kikomo'],
    asksTotalText: [
      'Your rule is older than the limit of the day: many payouts, each below the rule, can leave without an approval.',
      'Kanuni yako ni ya kabla ya kikomo cha siku: malipo mengi, kila moja chini ya kanuni, yanaweza kutoka bila idhini.',
    ],
    setTotal: ['Limit the day to {{amount}}', 'Weka kikomo cha siku {{amount}}'],
    noTotal: ['No limit of the day', 'Bila kikomo cha siku'],
    inTest: ['For the test wallet.', 'Kwa pochi ya majaribio.'],
    inLive: ['For the live wallet.', 'Kwa pochi halisi.'],
    set: ['Set a rule', 'Weka kanuni'],
    change: ['Change', 'Badilisha'],
    remove: ['Remove', 'Ondoa'],
    form: ['Approval rule', 'Kanuni ya idhini'],
    formText: [
      'A stricter rule holds at once. A looser one holds only after others have approved it under the present rule.',
      'Kanuni kali zaidi inaanza mara moja. Iliyolegezwa inaanza tu baada ya wengine kuiidhinisha kwa kanuni ya sasa.',
    ],
    above: ['Above this amount', 'Zaidi ya kiasi hiki'],
    aboveHint: [
      'To one recipient in a day, without the fee. 0 means every amount.',
      'Kwa mpokeaji mmoja kwa siku, bila makato. 0 ni kila kiasi.',
    ],
    aboveTotal: ['Above this sum of the day', 'Zaidi ya jumla hii ya siku'],
    aboveTotalHint: [
      'All that leaves this wallet in a day. Empty: the day has no limit.',
      'Zote zinazotoka kwenye pochi hii kwa siku. Tupu: siku haina kikomo.',
    ],
    approvers: ['Approvals of other members', 'Idhini za wanachama wengine'],
    one: ['1 other member', 'Mwanachama 1 mwingine'],
    two: ['2 other members', 'Wanachama 2 wengine'],
    oneHint: [
      'You need 2 people who may approve, because no one approves their own request.',
      'Wanahitajika watu 2 wanaoweza kuidhinisha, kwa sababu hakuna anayeidhinisha ombi lake mwenyewe.',
    ],
    twoHint: [
      'You need 3 people who may approve, because no one approves their own request.',
      'Wanahitajika watu 3 wanaoweza kuidhinisha, kwa sababu hakuna anayeidhinisha ombi lake mwenyewe.',
    ],
    toTeam: ['Invite an approver', 'Alika mwidhinishaji'],
    save: ['Save the rule', 'Hifadhi kanuni'],
    holds: ['The rule holds now.', 'Kanuni inatumika sasa.'],
    waits: [
      'This is looser than the present rule, so others must approve it first.',
      'Hii inalegeza kanuni ya sasa, kwa hiyo wengine wanatakiwa kuiidhinisha kwanza.',
    ],
    removed: ['The rule is removed.', 'Kanuni imeondolewa.'],
    removeTitle: ['Remove the approval rule?', 'Uondoe kanuni ya idhini?'],
    removeText: [
      'Money would leave without the approval of others. Other members must approve this under the present rule.',
      'Pesa zitatoka bila idhini ya wengine. Wanachama wengine wanatakiwa kuidhinisha hili kwa kanuni ya sasa.',
    ],
    pending: ['A change waits for approval', 'Mabadiliko yanasubiri idhini'],
    pendingNone: ['The rule is to be removed.', 'Kanuni iondolewe.'],
    pendingUntil: [
      'Until others approve it, the present rule holds. Without an approval, the change ends on {{when}}.',
      'Kanuni ya sasa inatumika hadi wengine wayaidhinishe. Bila idhini, mabadiliko yataisha {{when}}.',
    ],
  },
})
