(* The utility of a condition, and what it says about its truth.

   DeVoe and Lampropoulos (Flexible and Automatic Targeted Property-Based Testing, section 3) give every condition a number
   that a search can raise. Proved here, for the mapping as it is printed (figure 3) and as src/case/truth.c has it for integers:

     utility_is_truth   lemma 3.2: a condition holds if and only if its utility is not negative
     higher_is_truer    theorem 3.1: where the utility is at least as high, a condition that held still holds
     lemma_suffices     ... which needs no more than lemma 3.2, so that every mapping with the lemma has it

   and what a negation needs (negation_of_zero), why the disjunction of nothing must be false (any_of_none), which the paper
   has as true.

   Lemma 3.2 does not tell the mapping from one that has only 0 and -1, which no search can climb. The second part says what the
   printed mapping has besides. Relax a condition by d: a <= b to a <= b + d, a < b to a < b + d, a = b to |a - b| <= d.

     slack              without negations: the utility is at least -d if and only if the condition relaxed by d holds (d >= 0)
     least_slack        so a utility below 0 is minus the least slack that makes the condition true
     slack_is_unique    and below 0 no other mapping has that
     trivial_fails      the mapping to 0 and -1 has the lemma, and not the slack
     slack_of_pushed    with negations: push them to the atoms, and the slack is there again
     negation_is_near   without pushing them, the utility is the slack, or one more
     negation_fails     and sometimes it is one more: Not (a <= b) has -1 for b - a = 0 and for b - a = 1

   Arithmetic is that of the integers. sonde computes differences with 128 bits and hands them on as doubles, which are exact up to
   2^53; tests/compile/proof.sh runs the function that Coq extracts from this file beside truth.c.

   Operands are functions of the state, so that whatever C can compute is one. *)

Require Import ZArith List Lia.
Import ListNotations.
Open Scope Z_scope.

Section Utility.

Variable state : Type.
Definition operand := state -> Z.

Inductive condition : Type :=
  | True_ | False_
  | Le (a b : operand) | Lt (a b : operand) | Eq (a b : operand)
  | Or (p q : condition) | And (p q : condition) | Not (p : condition).

Fixpoint holds (s : state) (c : condition) : Prop :=
  match c with
  | True_ => True
  | False_ => False
  | Le a b => a s <= b s
  | Lt a b => a s < b s
  | Eq a b => a s = b s
  | Or p q => holds s p \/ holds s q
  | And p q => holds s p /\ holds s q
  | Not p => ~ holds s p
  end.

Definition negated (u : Z) : Z := if u =? 0 then -1 else - u.

Fixpoint utility (s : state) (c : condition) : Z :=
  match c with
  | True_ => 1
  | False_ => -1
  | Le a b => b s - a s
  | Lt a b => b s - a s - 1
  | Eq a b => - Z.abs (a s - b s)
  | Or p q => Z.max (utility s p) (utility s q)
  | And p q => Z.min (utility s p) (utility s q)
  | Not p => negated (utility s p)
  end.

(* Without the special case, a condition that just holds and its negation would both have the utility of truth. *)
Lemma negation_of_zero : negated 0 < 0 /\ ~ (- 0 < 0).
Proof. unfold negated; simpl; lia. Qed.

Lemma negated_is_negation : forall u, negated u >= 0 <-> ~ (u >= 0).
Proof.
  intro u; unfold negated; destruct (Z.eqb_spec u 0); lia.
Qed.

Lemma utility_is_truth_ : forall c s, utility s c >= 0 <-> holds s c.
Proof.
  induction c as [| | a b | a b | a b | p IHp q IHq | p IHp q IHq | p IHp]; intro s; simpl.
  - split; [trivial | lia].
  - split; [lia | contradiction].
  - lia.
  - lia.
  - lia.
  - rewrite <- (IHp s), <- (IHq s); lia.
  - rewrite <- (IHp s), <- (IHq s); lia.
  - rewrite negated_is_negation, (IHp s); reflexivity.
Qed.

(* Lemma 3.2. *)
Theorem utility_is_truth : forall c s,
  (utility s c < 0 <-> ~ holds s c) /\ (utility s c >= 0 <-> holds s c).
Proof.
  intros c s; split.
  - rewrite <- (utility_is_truth_ c s); lia.
  - apply utility_is_truth_.
Qed.

(* Theorem 3.1. *)
Theorem higher_is_truer : forall c s1 s2,
  utility s1 c <= utility s2 c -> holds s1 c -> holds s2 c.
Proof.
  intros c s1 s2 higher truth.
  apply utility_is_truth_; apply utility_is_truth_ in truth; lia.
Qed.

(* Theorem 3.1 for any mapping that has lemma 3.2. *)
Theorem lemma_suffices : forall f : state -> condition -> Z, (forall s c, f s c >= 0 <-> holds s c) ->
  forall c s1 s2, f s1 c <= f s2 c -> holds s1 c -> holds s2 c.
Proof. intros f lemma c s1 s2 higher truth; apply lemma; apply lemma in truth; lia. Qed.

(* Folds over lists, as sonde_all and sonde_any have them. The last part stands alone: with True_ or False_ behind it, no
   conjunction would be better than 1, and no disjunction worse than -1. *)
Fixpoint all_of (cs : list condition) : condition :=
  match cs with [] => True_ | [c] => c | c :: rest => And c (all_of rest) end.
Fixpoint any_of (cs : list condition) : condition :=
  match cs with [] => False_ | [c] => c | c :: rest => Or c (any_of rest) end.

Theorem all_of_is_all : forall cs s, utility s (all_of cs) >= 0 <-> Forall (holds s) cs.
Proof.
  intros cs s; rewrite utility_is_truth_.
  induction cs as [| c [| c' cs] IH]; simpl in *.
  - split; auto.
  - split; [auto | intro f; inversion f; auto].
  - rewrite IH; split; [intros [h t]; auto | intro f; inversion f; auto].
Qed.

Theorem any_of_is_any : forall cs s, utility s (any_of cs) >= 0 <-> Exists (holds s) cs.
Proof.
  intros cs s; rewrite utility_is_truth_.
  induction cs as [| c [| c' cs] IH]; simpl in *.
  - split; [contradiction | intro e; inversion e].
  - split; [auto | intro e; inversion e as [| ? ? t]; subst; auto; inversion t].
  - rewrite IH; split; [intros [h | t]; auto | intro e; inversion e; auto].
Qed.

(* Nothing holds of an empty list: a disjunction of no parts that counted as true would break the lemma. *)
Theorem any_of_none : forall s, utility s (any_of []) < 0 /\ ~ Exists (holds s) [].
Proof.
  intro s; split; [simpl; lia | intro e; inversion e].
Qed.

(* ---- Slack *)

Fixpoint positive (c : condition) : Prop :=
  match c with
  | Or p q | And p q => positive p /\ positive q
  | Not _ => False
  | _ => True
  end.

(* The condition with d of slack. Not has none: see pushed. *)
Fixpoint relaxed (d : Z) (s : state) (c : condition) : Prop :=
  match c with
  | True_ => True
  | False_ => 1 <= d
  | Le a b => a s <= b s + d
  | Lt a b => a s < b s + d
  | Eq a b => Z.abs (a s - b s) <= d
  | Or p q => relaxed d s p \/ relaxed d s q
  | And p q => relaxed d s p /\ relaxed d s q
  | Not p => ~ relaxed d s p
  end.

(* Without slack nothing is relaxed. *)
Lemma relaxed_by_none : forall c s, relaxed 0 s c <-> holds s c.
Proof.
  induction c as [| | a b | a b | a b | p IHp q IHq | p IHp q IHq | p IHp]; intro s; simpl; try lia.
  - rewrite IHp, IHq; tauto.
  - rewrite IHp, IHq; tauto.
  - rewrite IHp; tauto.
Qed.

Theorem slack : forall c, positive c -> forall s d, d >= 0 -> (utility s c >= - d <-> relaxed d s c).
Proof.
  induction c as [| | a b | a b | a b | p IHp q IHq | p IHp q IHq | p IHp]; simpl; intros pos s d least; try lia.
  - rewrite <- (IHp (proj1 pos) s d least), <- (IHq (proj2 pos) s d least); lia.
  - rewrite <- (IHp (proj1 pos) s d least), <- (IHq (proj2 pos) s d least); lia.
Qed.

Corollary least_slack : forall c, positive c -> forall s, utility s c < 0 ->
  relaxed (- utility s c) s c /\ forall d, 0 <= d < - utility s c -> ~ relaxed d s c.
Proof.
  intros c pos s low; split.
  - apply slack; auto; lia.
  - intros d less r; apply slack in r; auto; lia.
Qed.

(* Of two mappings that have the slack, neither can be told from the other below 0. *)
Corollary slack_is_unique : forall (f : Z) c, positive c -> forall s,
  (forall d, d >= 0 -> (f >= - d <-> relaxed d s c)) -> Z.min f 0 = Z.min (utility s c) 0.
Proof.
  intros f c pos s has.
  assert (same : forall d, d >= 0 -> (f >= - d <-> utility s c >= - d)).
  { intros d least; rewrite (has d least), (slack c pos s d least); reflexivity. }
  pose proof (same (Z.max 0 (- f))); pose proof (same (Z.max 0 (- utility s c))); lia.
Qed.

(* The mapping that says no more than whether a condition holds. *)
Definition trivial (s : state) (c : condition) : Z := if utility s c >=? 0 then 0 else -1.

Theorem trivial_is_truth : forall c s, trivial s c >= 0 <-> holds s c.
Proof.
  intros c s; unfold trivial; rewrite <- utility_is_truth_; destruct (Z.geb_spec (utility s c) 0); lia.
Qed.

Theorem trivial_fails : forall s,
  exists c, positive c /\ trivial s c >= - (1) /\ ~ relaxed 1 s c.
Proof.
  intro s; exists (Le (fun _ => 2) (fun _ => 0)); unfold trivial; simpl; lia.
Qed.

(* ---- Negations *)

(* The condition, or its opposite, with negations pushed to the atoms. *)
Fixpoint pushed (keep : bool) (c : condition) : condition :=
  match c with
  | True_ => if keep then True_ else False_
  | False_ => if keep then False_ else True_
  | Le a b => if keep then Le a b else Lt b a
  | Lt a b => if keep then Lt a b else Le b a
  | Eq a b => if keep then Eq a b else Or (Lt a b) (Lt b a)
  | Or p q => if keep then Or (pushed true p) (pushed true q) else And (pushed false p) (pushed false q)
  | And p q => if keep then And (pushed true p) (pushed true q) else Or (pushed false p) (pushed false q)
  | Not p => pushed (negb keep) p
  end.

Lemma pushed_is_positive : forall c keep, positive (pushed keep c).
Proof.
  induction c as [| | a b | a b | a b | p IHp q IHq | p IHp q IHq | p IHp]; intro keep; simpl; auto; destruct keep; simpl; auto.
Qed.

Corollary slack_of_pushed : forall c s d, d >= 0 -> (utility s (pushed true c) >= - d <-> relaxed d s (pushed true c)).
Proof. intros; apply slack; auto; apply pushed_is_positive. Qed.

(* In one induction for both: what is pushed is as true, and its utility is the same or one less. *)
Lemma negation_is_near_ : forall c s,
  (utility s (pushed true c) <= utility s c <= utility s (pushed true c) + 1 /\
   (utility s c >= 0 <-> utility s (pushed true c) >= 0)) /\
  (utility s (pushed false c) <= negated (utility s c) <= utility s (pushed false c) + 1 /\
   (negated (utility s c) >= 0 <-> utility s (pushed false c) >= 0)).
Proof.
  induction c as [| | a b | a b | a b | p IHp q IHq | p IHp q IHq | p IHp]; intro s; simpl; unfold negated in *;
    try (specialize (IHp s)); try (specialize (IHq s));
    repeat match goal with |- context [?x =? 0] => destruct (Z.eqb_spec x 0) end;
    repeat match goal with H : context [?x =? 0] |- _ => destruct (Z.eqb_spec x 0) end;
    lia.
Qed.

Theorem negation_is_near : forall c s,
  utility s (pushed true c) <= utility s c <= utility s (pushed true c) + 1.
Proof. intros c s; apply negation_is_near_. Qed.

Theorem pushed_is_as_true : forall c s, holds s (pushed true c) <-> holds s c.
Proof. intros c s; rewrite <- !utility_is_truth_; destruct (negation_is_near_ c s) as [[_ same] _]; symmetry; exact same. Qed.

(* Not (0 <= 1) needs a slack of 2 (1 < 0 + 2), and has the utility -1. *)
Theorem negation_fails : forall s, exists c,
  utility s (Not c) = -1 /\ ~ relaxed 1 s (pushed true (Not c)) /\ utility s (pushed true (Not c)) = -2.
Proof. intro s; exists (Le (fun _ => 0) (fun _ => 1)); simpl; unfold negated; simpl; lia. Qed.

End Utility.

Print Assumptions higher_is_truer.
Print Assumptions all_of_is_all.
Print Assumptions any_of_is_any.
Print Assumptions lemma_suffices.
Print Assumptions least_slack.
Print Assumptions slack_is_unique.
Print Assumptions trivial_is_truth.
Print Assumptions trivial_fails.
Print Assumptions slack_of_pushed.
Print Assumptions negation_is_near.
Print Assumptions pushed_is_as_true.
Print Assumptions negation_fails.
