//! What the values of keys are, as far as a part has to know that stands elsewhere: names, directions, angles.

/// What a value is. Without a role it is a formula, or a list or a table of such.
#[derive(Clone, Copy, Debug)]
pub(super) enum Role {
    /// Words that are no names.
    Word,
    /// The name of a body, of a point of it, of a joint, or of a shape; or a list of such.
    Name,
    /// Two numbers along the axes.
    Vector,
    /// A list of points.
    Points,
    /// Two points, with what is solid on their right.
    Segment,
    /// A number along the first axis, or an angle: it changes its sign in the mirror.
    Odd,
    /// A place of the drawing, an angle between bodies, or a word.
    JointPlace,
    /// A vector of a force, or a number along the coordinate of a joint.
    Force,
    /// A moment on a body, or on the coordinate of a joint.
    Torque,
    /// What another event or a contact does.
    Cause,
    /// A curve, whose formulas use `s`.
    Curve,
    /// A table with these keys.
    Table(&'static [(&'static str, Role)]),
    /// A table of things with names, each of which has this role.
    Each(&'static Role),
    /// A table of states and discrete variables with formulas.
    Definitions,
}

const FRAME: &[(&str, Role)] = &[("at", Role::Vector), ("angle", Role::Odd), ("on", Role::Word)];

const SHAPE: &[(&str, Role)] = &[
    ("body", Role::Name),
    ("half_plane", Role::Vector),
    ("segment", Role::Segment),
    ("polygon", Role::Points),
    ("curve", Role::Curve),
    ("at", Role::Vector),
    ("move", Role::Vector),
    ("turn", Role::Odd),
    ("material", Role::Word),
    ("solid", Role::Word),
];

const BODY: &[(&str, Role)] = &[
    ("com", Role::Vector),
    ("shape", Role::Table(SHAPE)),
    ("link", Role::Each(&Role::Vector)),
    ("points", Role::Each(&Role::Vector)),
    ("frames", Role::Each(&Role::Table(FRAME))),
    ("within", Role::Name),
    ("x", Role::Odd),
    ("angle", Role::Odd),
    ("velocity", Role::Vector),
    ("angular_velocity", Role::Odd),
    ("material", Role::Word),
];

const JOINT: &[(&str, Role)] = &[
    ("revolute", Role::Name),
    ("prismatic", Role::Name),
    ("fixed", Role::Name),
    ("distance", Role::Name),
    ("slot", Role::Name),
    ("angle", Role::Name),
    ("gear", Role::Name),
    ("belt", Role::Name),
    ("rack", Role::Name),
    ("on_curve", Role::Name),
    ("cam", Role::Name),
    ("rolling", Role::Name),
    ("within", Role::Name),
    ("at", Role::JointPlace),
    ("axis", Role::Vector),
];

const DRIVE: &[(&str, Role)] = &[("joint", Role::Name)];

const FORCE: &[(&str, Role)] = &[
    ("spring", Role::Name),
    ("damper", Role::Name),
    ("bushing", Role::Name),
    ("motor", Role::Name),
    ("point", Role::Name),
    ("couple", Role::Name),
    ("drag", Role::Name),
    ("in", Role::Name),
    ("force", Role::Force),
    ("torque", Role::Torque),
];

const CONTACT: &[(&str, Role)] = &[("between", Role::Name), ("among", Role::Name), ("law", Role::Word)];

const SENSOR: &[(&str, Role)] = &[
    ("position", Role::Name),
    ("velocity", Role::Name),
    ("acceleration", Role::Name),
    ("distance", Role::Name),
    ("relative_to", Role::Name),
    ("in", Role::Name),
    ("force", Role::Name),
    ("on", Role::Name),
    ("energy", Role::Word),
];

const REST: &[(&str, Role)] = &[("reset", Role::Definitions)];

const EVENT: &[(&str, Role)] = &[
    ("on", Role::Cause),
    ("open", Role::Name),
    ("close", Role::Name),
    ("direction", Role::Word),
    ("side", Role::Word),
    ("reset", Role::Definitions),
    ("at_rest", Role::Table(REST)),
];

/// The sections whose entries get the name of the part before theirs, with what these are.
pub(super) const SECTIONS: &[(&str, Role)] = &[
    ("parameters", Role::Definitions),
    ("states", Role::Definitions),
    ("discrete", Role::Definitions),
    ("derivatives", Role::Definitions),
    ("outputs", Role::Definitions),
    ("switches", Role::Definitions),
    ("bodies", Role::Table(BODY)),
    ("joints", Role::Table(JOINT)),
    ("drives", Role::Table(DRIVE)),
    ("forces", Role::Table(FORCE)),
    ("shapes", Role::Table(SHAPE)),
    ("contacts", Role::Table(CONTACT)),
    ("sensors", Role::Table(SENSOR)),
    ("events", Role::Table(EVENT)),
    ("audit", Role::Table(&[])),
];

/// The sections that say something of the whole model; a note says that they are left out.
pub(super) const LEFT_OUT: &[&str] =
    &["gravity", "run", "report", "picture", "units", "assemble", "title", "description"];

/// The sections that are the same in all files: what has a name there has it everywhere.
pub(super) const SHARED: &[&str] = &["materials", "pairs"];
